package io.jobqueue.benchmark.system;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.QueueMode;
import io.jobqueue.PayloadFormat;
import io.jobqueue.Schedule;
import io.jobqueue.benchmark.Server;
import io.jobqueue.database.Database;
import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Worker;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.ClaimStrategy;
import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.Operation;
import io.jobqueue.history.HistoryRecorder;
import io.jobqueue.history.HistoryWriter;
import io.jobqueue.maintenance.RunOperations;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.StoredSchedules;
import io.jobqueue.store.jdbc.history.JdbcHistory;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * The queue itself, with its default settings but for the slots.
 */
final class Ours implements QueueSystem {

	private static final int BATCH = 10_000;

	private static final int BATCH_CHARS = 16 * 1024 * 1024;

	private static final int MAX_PAYLOAD = 1024 * 1024;

	private final HikariDataSource pool;

	private final JdbcTemplate sql;

	private final Database database;

	private final QueueNode node;

	private final StoredJobQueue queue;

	private final Set<Limited> limited = EnumSet.noneOf(Limited.class);

	private final CountedOutcomes outcomes = new CountedOutcomes();

	private final @Nullable Doorbells doorbells;

	private final QueueMode mode;

	private final Maintenance maintenance;

	private final List<WorkerListener> listeners = new ArrayList<>();

	private @Nullable HistoryWriter history;

	private @Nullable Worker worker;

	/**
	 * A queue whose rows stay locked while their jobs run.
	 */
	static Ours rowLock(Server server) {
		return new Ours(server, true, false, ClaimStrategy.SKIP_LOCKED, QueueMode.ROW_LOCK);
	}

	/**
	 * A queue that counts what happens, as applications do unless they switch it off.
	 */
	static Ours withHistory(Server server) {
		Ours ours = new Ours(server, true, false, ClaimStrategy.SKIP_LOCKED, QueueMode.STANDARD);
		HistoryRecorder recorder = new HistoryRecorder(1);
		ours.node.listeners().add(recorder);
		ours.listeners.add(recorder);
		ours.history = new HistoryWriter(recorder, new JdbcHistory(ours.database), Duration.ofDays(90),
				Clock.systemUTC());
		return ours;
	}

	/** A queue whose jobs all belong to a trace. */
	static Ours traced(Server server) {
		Ours ours = new Ours(server, true, false, ClaimStrategy.SKIP_LOCKED, QueueMode.STANDARD);
		ours.node.listeners().observe(new OneTrace());
		return ours;
	}

	Ours(Server server, boolean keepSucceeded, boolean doorbell, ClaimStrategy claim, QueueMode mode) {
		this.pool = server.pool("", 24);
		this.sql = new JdbcTemplate(this.pool);
		this.database = new Database(this.pool);
		this.node = QueueNode.on(this.database,
				StoreSettings.DEFAULT.withKeepSucceeded(keepSucceeded).withClaim(claim));
		this.queue = this.node.queue(new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, MAX_PAYLOAD));
		RunOperations operations = this.node.chores().runOperations();
		this.node.listeners().add(operations);
		this.maintenance = new Maintenance(
				List.of(this.node.chores().fireSchedules(), this.node.chores().sweepWaitingJobs(), operations));
		this.doorbells = doorbell ? new Doorbells(this.node, this.pool) : null;
		this.mode = mode;
		this.listeners.add(this.outcomes);
	}

	static void createTables(HikariDataSource pool) {
		new ResourceDatabasePopulator(new ClassPathResource("io/jobqueue/schema/mysql/V1__job_queue.sql"))
			.execute(pool);
	}

	@Override
	public void createTables() {
		createTables(this.pool);
		this.node.stores().queues().setMode("default", this.mode);
		this.sql.execute(Work.EFFECT_TABLE);
	}

	@Override
	public void enqueueAll(int jobs) {
		enqueueAll(jobs, PAYLOAD);
	}

	@Override
	public void enqueueAll(int jobs, String payload) {
		int size = Math.max(1, Math.min(BATCH, BATCH_CHARS / payload.length()));
		enqueue(jobs, size, (i) -> NewJob.of("work", payload));
	}

	private void enqueue(int jobs, int size, IntFunction<NewJob> job) {
		for (int start = 0; start < jobs; start += size) {
			this.queue.enqueueAll(IntStream.range(start, Math.min(jobs, start + size)).mapToObj(job).toList());
		}
	}

	@Override
	public void enqueueInOrder(int jobs, int keys) {
		enqueue(jobs, BATCH, (i) -> NewJob.of("work", PAYLOAD).orderKey("order-" + i % keys));
	}

	@Override
	public void limit(Limited limited) {
		this.limited.add(limited);
		this.node.stores().keys().limits().save(limited.limit());
		this.node.stores().jobs().registerTypes(OwnHandlers.of(Work.nothing(1), this.sql, this.limited).rules());
	}

	@Override
	public void enqueueLimited(Limited limited, int jobs, int keys) {
		enqueue(jobs, BATCH, (i) -> {
			NewJob job = NewJob.of(limited.type(), PAYLOAD);
			return (keys > 0) ? job.limitKey("key-" + i % keys) : job;
		});
	}

	@Override
	public void fill(Backlog backlog) {
		backlog.fill(this.pool);
	}

	@Override
	public void schedule(int count) {
		StoredSchedules schedules = this.node
			.schedules(new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, MAX_PAYLOAD));
		IntStream.range(0, count)
			.parallel()
			.forEach((i) -> schedules
				.save(Schedule.cron("schedule-" + i, "0 * * * * *").job(NewJob.of("work", PAYLOAD))));
	}

	@Override
	public long enqueueOne() {
		return this.queue.enqueue("work", PAYLOAD);
	}

	@Override
	public void start(Work work) {
		WorkerSettings settings = WorkerSettings.named("benchmark");
		Worker started = this.node.worker(OwnHandlers.of(work, this.sql, this.limited),
				this.node.handlerTransaction(new JdbcTransactionManager(this.pool)),
				settings.with(settings.slots().withConcurrency(work.slots())),
				Extensions.listener(WorkerListener.all(this.listeners)));
		this.node.listeners().add(started);
		started.start();
		this.maintenance.start();
		if (this.history != null) {
			this.history.start();
		}
		this.worker = started;
		if (this.doorbells != null) {
			this.doorbells.wake(started);
		}
	}

	@Override
	public void redriveAll(boolean paused) {
		this.node.stores().queues().setPaused("gone", paused);
		this.node.operations(MAX_PAYLOAD).redrive(JobFilter.of(JobState.DEAD));
	}

	@Override
	public long redriven() {
		return this.node.operations(MAX_PAYLOAD).list(1).stream().mapToLong(Operation::changed).sum();
	}

	@Override
	public boolean hasUnfinished() {
		return this.sql.queryForObject("SELECT EXISTS (SELECT 1 FROM jobqueue_job)", Boolean.class);
	}

	@Override
	public Incidents incidents() {
		return new Incidents(this.outcomes.failed(), this.outcomes.stale(), this.database.transactions().conflicts());
	}

	@Override
	public void close() {
		if (this.doorbells != null) {
			this.doorbells.stop();
		}
		if (this.worker != null) {
			this.worker.stop();
		}
		this.maintenance.stop();
		if (this.history != null) {
			this.history.stop();
		}
		this.pool.close();
	}

}
