package io.jobqueue.benchmark.system;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.QueueMode;
import io.jobqueue.PayloadFormat;
import io.jobqueue.Schedule;
import io.jobqueue.benchmark.Server;
import io.jobqueue.database.Database;
import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Worker;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.StoredSchedules;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.doorbell.CrossNodeWakeUp;
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

	private final boolean doorbell;

	private final QueueMode mode;

	private final Maintenance maintenance;

	private @Nullable Worker worker;

	private @Nullable CrossNodeWakeUp wakeUp;

	Ours(Server server, boolean keepSucceeded, boolean doorbell, ClaimStrategy claim) {
		this(server, keepSucceeded, doorbell, claim, QueueMode.STANDARD);
	}

	/**
	 * A queue whose rows stay locked while their jobs run.
	 */
	static Ours rowLock(Server server) {
		return new Ours(server, true, false, ClaimStrategy.SKIP_LOCKED, QueueMode.ROW_LOCK);
	}

	private Ours(Server server, boolean keepSucceeded, boolean doorbell, ClaimStrategy claim, QueueMode mode) {
		this.pool = server.pool("", 24);
		this.sql = new JdbcTemplate(this.pool);
		this.database = new Database(this.pool);
		this.node = QueueNode.on(this.database,
				StoreSettings.DEFAULT.withKeepSucceeded(keepSucceeded).withClaim(claim));
		this.queue = this.node.queue(new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, MAX_PAYLOAD));
		this.maintenance = new Maintenance(
				List.of(this.node.chores().fireSchedules(), this.node.chores().sweepWaitingJobs()));
		this.doorbell = doorbell;
		this.mode = mode;
		wakeUpOthers(null);
	}

	private void wakeUpOthers(@Nullable Worker own) {
		if (this.wakeUp != null) {
			this.node.listeners().remove(this.wakeUp);
			this.wakeUp.stop();
		}
		if (this.doorbell) {
			CrossNodeWakeUp started = this.node.wakeUp(this.pool::evictConnection, (own != null) ? own::wakeUp : null);
			this.node.listeners().add(started);
			started.start();
			this.wakeUp = started;
		}
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
		for (int start = 0; start < jobs; start += size) {
			List<NewJob> batch = IntStream.range(start, Math.min(jobs, start + size))
				.mapToObj((i) -> NewJob.of("work", payload))
				.toList();
			this.queue.enqueueAll(batch);
		}
	}

	@Override
	public void enqueueInOrder(int jobs, int keys) {
		for (int start = 0; start < jobs; start += BATCH) {
			this.queue.enqueueAll(IntStream.range(start, Math.min(jobs, start + BATCH))
				.mapToObj((i) -> NewJob.of("work", PAYLOAD).orderKey("order-" + i % keys))
				.toList());
		}
	}

	@Override
	public void limit(Limited limited) {
		this.limited.add(limited);
		this.node.stores().keys().limits().save(limited.limit());
		this.node.stores().jobs().registerTypes(handlers(Work.nothing(1)).rules());
	}

	@Override
	public void enqueueLimited(Limited limited, int jobs, int keys) {
		for (int start = 0; start < jobs; start += BATCH) {
			this.queue.enqueueAll(IntStream.range(start, Math.min(jobs, start + BATCH)).mapToObj((i) -> {
				NewJob job = NewJob.of(limited.type(), PAYLOAD);
				return (keys > 0) ? job.limitKey("key-" + i % keys) : job;
			}).toList());
		}
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

	private Handlers handlers(Work work) {
		RetryPolicy retry = new RetryPolicy(3, new BackoffPolicy(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2),
				List.of());
		Handler handler = (work.chunk() > 1) ? new InChunks(this.sql, work).handler(retry)
				: new Handler("work", (payload, job) -> {
					work.onStart().accept(job.id());
					if (work.transactional()) {
						this.sql.update(Work.EFFECT, job.id());
					}
					work.runs().increment();
				}, retry, Duration.ofHours(1), work.transactional());
		Handler bulk = new Handler("bulk", (payload, job) -> Thread.sleep(Work.BULK_MILLIS), retry, Duration.ofHours(1),
				false);
		Handlers handlers = new Handlers(List.of(handler, bulk));
		for (Limited limit : this.limited) {
			handlers.add(new Handler(limit.type(), (payload, job) -> {
				Thread.sleep(limit.millis());
				work.limitedRuns().increment();
			}, retry, Duration.ofHours(1), false, OnDead.CONTINUE, limit.limit().name()));
		}
		return handlers;
	}

	@Override
	public void start(Work work) {
		WorkerSettings settings = WorkerSettings.named("benchmark");
		Worker started = this.node.worker(handlers(work),
				this.node.handlerTransaction(new JdbcTransactionManager(this.pool)),
				settings.with(settings.slots().withConcurrency(work.slots())), Extensions.listener(this.outcomes));
		this.node.listeners().add(started);
		started.start();
		this.maintenance.start();
		this.worker = started;
		wakeUpOthers(started);
	}

	@Override
	public boolean hasUnfinished() {
		return this.sql.queryForObject("SELECT EXISTS (SELECT 1 FROM jobqueue_job)", Boolean.class);
	}

	@Override
	public Incidents incidents() {
		return new Incidents(this.outcomes.failed(), this.outcomes.stale(), this.database.conflicts());
	}

	@Override
	public void close() {
		if (this.wakeUp != null) {
			this.wakeUp.stop();
		}
		if (this.worker != null) {
			this.worker.stop();
		}
		this.maintenance.stop();
		this.pool.close();
	}

}
