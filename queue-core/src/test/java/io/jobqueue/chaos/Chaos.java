package io.jobqueue.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.QueueMode;
import io.jobqueue.chaos.History.Answer;
import io.jobqueue.database.Database;
import io.jobqueue.node.QueueNode;
import io.jobqueue.store.Claim;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.Queues;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.StoredSchedules;
import io.jobqueue.store.jdbc.JdbcQueues;
import io.jobqueue.store.jdbc.limit.JdbcLimits;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Wire;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One run: a database, an application that enqueues, worker processes, each on a wire of
 * its own, and what is kept of them all in {@code target/chaos}.
 */
final class Chaos implements AutoCloseable {

	private static final Duration DRAIN = Duration.ofMinutes(3);

	private static final Duration FULL_LIMITS = Duration.ofSeconds(30);

	final TestSchema schema;

	final JdbcTemplate sql;

	final Tables tables;

	final StoredJobQueue queue;

	final StoredSchedules schedules;

	final long seed;

	final Random random;

	final Path folder;

	final History history;

	private final Way way;

	private final List<WorkerProcess> workers = new CopyOnWriteArrayList<>();

	private final List<AutoCloseable> parts = new ArrayList<>();

	private final AtomicInteger enqueued = new AtomicInteger();

	/** How many jobs the workers of this run hold beyond those that run. */
	int prefetch = 20;

	private @Nullable Pauses pauses;

	private int started;

	/**
	 * Begins a run.
	 * @param schema the database, with the queue's tables
	 * @param way how jobs are kept from running twice
	 * @param name what the run is called
	 * @param seed what makes its choices
	 */
	Chaos(TestSchema schema, Way way, String name, long seed) {
		this.schema = schema;
		this.sql = new JdbcTemplate(schema.dataSource());
		this.tables = new Tables(this.sql);
		this.queue = Producer.queue(schema.dataSource());
		this.schedules = QueueNode.on(new Database(schema.dataSource()), StoreSettings.DEFAULT)
			.schedules(new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1024 * 1024));
		new JdbcLimits(new Database(schema.dataSource())).save(ChaosWorker.LIMIT);
		this.way = way;
		if (way.mode() != QueueMode.STANDARD) {
			Queues queues = new JdbcQueues(new Database(schema.dataSource()));
			List.of("default", Producer.PAUSED_AT_TIMES, SteadyLoad.QUEUE)
				.forEach((queue) -> queues.setMode(queue, way.mode()));
		}
		this.seed = seed;
		this.random = new Random(seed);
		Effects.createTables(this.sql);
		try {
			this.folder = Files
				.createDirectories(Path.of("target", "chaos", name + "-" + way + "-" + Long.toHexString(seed)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.history = new History(this.folder.resolve("history"));
	}

	/** How a worker of this run works, unless a test wants it otherwise. */
	synchronized WorkerArguments worker() {
		this.started++;
		return WorkerArguments.named("worker-" + this.started)
			.withUrl(this.schema.jdbcUrl())
			.withUser(this.schema.username(), this.schema.password())
			.withPrefetch(this.prefetch)
			.claimingBy(this.way.claim());
	}

	WorkerProcess start(WorkerArguments arguments) {
		return start(arguments, Map.of());
	}

	WorkerProcess start(WorkerArguments arguments, Map<String, String> environment) {
		return start(WorkerProcess.java(), arguments, environment);
	}

	/** Starts a worker in Python. */
	WorkerProcess startPython(WorkerArguments arguments) {
		return start(WorkerProcess.python(), arguments.renamed(arguments.name().replace("worker", "python")), Map.of());
	}

	private WorkerProcess start(List<String> program, WorkerArguments arguments, Map<String, String> environment) {
		this.history.note("start " + arguments.name());
		WorkerProcess process = WorkerProcess.start(program, arguments, this.folder, environment);
		this.workers.add(process);
		return process;
	}

	/**
	 * Sees to it that so many workers are there, whatever they die of.
	 * @param count how many
	 * @param queue which queue they serve; empty for all
	 */
	void keepAlive(int count, String queue) {
		Supervisor supervisor = new Supervisor(this, count, queue);
		this.parts.add(supervisor);
		supervisor.start();
	}

	/** Pauses a queue again and again. */
	void pauseNowAndThen() {
		this.pauses = new Pauses(this.schema.dataSource(), this.history, this.seed);
		this.parts.add(this.pauses);
		this.pauses.start();
	}

	Wire wire() {
		Wire wire = new Wire(this.schema.jdbcUrl());
		this.parts.add(wire);
		return wire;
	}

	/** A pool of an application whose connections go over a wire. */
	HikariDataSource pool(Wire wire) {
		return this.schema.pool((config) -> config.setJdbcUrl(wire.jdbcUrl()));
	}

	/** Starts an application that enqueues, straight to the server. */
	Producer producer(Duration pause) {
		return producer(this.schema.dataSource(), pause);
	}

	/** Starts an application that enqueues. */
	Producer producer(DataSource dataSource, Duration pause) {
		Producer producer = new Producer(dataSource, this.history, this.seed, pause).start();
		this.parts.add(producer);
		return producer;
	}

	/**
	 * Enqueues one job.
	 * @param type its type
	 * @param sleep how long its handler sleeps
	 * @return its id
	 */
	long enqueue(String type, Duration sleep) {
		return enqueue(type, sleep, (job) -> job);
	}

	/**
	 * Enqueues one job.
	 * @param type its type
	 * @param sleep how long its handler sleeps
	 * @param options what else is asked for
	 * @return its id
	 */
	long enqueue(String type, Duration sleep, UnaryOperator<NewJob> options) {
		return enqueueAll(1, type, sleep, options).get(0);
	}

	/**
	 * Enqueues several jobs at once.
	 * @param count how many
	 * @param type their type
	 * @param sleep how long their handler sleeps
	 * @param options what else is asked for
	 * @return their ids
	 */
	List<Long> enqueueAll(int count, String type, Duration sleep, UnaryOperator<NewJob> options) {
		List<String> tokens = Stream.generate(() -> "own" + this.enqueued.incrementAndGet()).limit(count).toList();
		tokens.forEach((token) -> this.history.invoke(token, type, null));
		List<Long> ids = this.queue.enqueueAll(tokens.stream()
			.map((token) -> options.apply(NewJob.of(type, Producer.payload(token, sleep.toMillis()))))
			.toList());
		for (int i = 0; i < count; i++) {
			this.history.ok(tokens.get(i), ids.get(i));
		}
		return ids;
	}

	/**
	 * Inserts a job as a program in another language does.
	 * @param type its type
	 * @param more what its payload has beyond the usual
	 */
	void insert(String type, String more) {
		String token = "sql" + this.enqueued.incrementAndGet();
		this.history.invoke(token, type, null);
		KeyHolder key = new GeneratedKeyHolder();
		this.sql.update((connection) -> {
			PreparedStatement insert = connection.prepareStatement(
					"INSERT INTO jobqueue_job (type, payload) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS);
			insert.setString(1, type);
			insert.setString(2, Producer.payload(token, 0) + " " + more);
			return insert;
		}, key);
		this.history.ok(token, key.getKey().longValue());
	}

	/** Keeps a queue from ever becoming empty. */
	SteadyLoad steadyLoad() {
		SteadyLoad load = new SteadyLoad(this);
		this.parts.add(load);
		load.start();
		return load;
	}

	/** Waits until every job has ended, in queues that are not paused. */
	void awaitDrained() {
		awaitDrained(Duration.ZERO);
	}

	/**
	 * Waits until every job has ended, in queues that are not paused.
	 * @param ahead how far the database's clock was ahead: what was enqueued then, and
	 * had not been claimed when it was put right, is due later by as much
	 */
	void awaitDrained(Duration ahead) {
		if (this.pauses != null) {
			this.pauses.stop();
		}
		Awaitility.await("the backlog drains")
			.atMost(DRAIN.plus(ahead))
			.pollInterval(Duration.ofMillis(100))
			.ignoreExceptionsInstanceOf(DataAccessException.class)
			.until(() -> this.tables.count("TRUE") == 0);
	}

	/**
	 * Waits until as many jobs run at once as limits allow: after whatever has happened
	 * no place is lost. The queue must have drained, and drains again.
	 */
	void awaitFullLimits() {
		int keys = ChaosTests.FULL ? Producer.LIMIT_KEYS : 1;
		for (int i = 0; i <= keys; i++) {
			String key = (i > 0) ? Producer.limitKey(i) : "";
			int most = ChaosWorker.LIMIT.running();
			// Several rounds: on a busy machine one may be over before each worker
			// looks.
			enqueueAll(3 * most, ChaosWorker.LIMITED, Duration.ofSeconds(3),
					(job) -> key.isEmpty() ? job : job.limitKey(key));
			Awaitility.await("all places of the limit key '" + key + "' are taken")
				.atMost(FULL_LIMITS)
				.pollInterval(Duration.ofMillis(20))
				.until(() -> this.tables.count("state = 1 AND type = '" + ChaosWorker.LIMITED
						+ "' AND COALESCE(limit_key, '') = '" + key + "'") == most);
			awaitDrained();
		}
	}

	/** Checks what must always hold; the queue must have drained. */
	void check() {
		assertThat(this.history.answers().getOrDefault(Answer.OK, 0L)).as("enqueued").isPositive();
		assertThat(violations()).as("broken promises, seed %d, see %s", this.seed, this.folder).isEmpty();
	}

	/**
	 * The attempts of which workers whose names begin with this believe that they
	 * succeeded.
	 */
	long won(String names) {
		return this.workers.stream()
			.filter((worker) -> worker.name().startsWith(names))
			.mapToLong((worker) -> worker.won().size())
			.sum();
	}

	List<String> violations() {
		return Checker.violations(this.sql, this.history, all(WorkerProcess::started), all(WorkerProcess::won));
	}

	private List<Claim> all(Function<WorkerProcess, List<Claim>> of) {
		return this.workers.stream().flatMap((worker) -> of.apply(worker).stream()).toList();
	}

	@Override
	public void close() {
		// Whoever starts workers stops first.
		Collections.reverse(this.parts);
		List<AutoCloseable> all = new ArrayList<>(this.parts);
		all.addAll(this.workers);
		all.add(this.history);
		all.add(this.schema);
		close(all);
	}

	/** Closes everything in its order, also if something of it cannot be closed. */
	static void close(Collection<? extends AutoCloseable> parts) {
		List<Exception> failures = new ArrayList<>();
		for (AutoCloseable part : parts) {
			try {
				part.close();
			}
			catch (Exception ex) {
				failures.add(ex);
			}
		}
		if (!failures.isEmpty()) {
			IllegalStateException failure = new IllegalStateException("Not everything could be closed");
			failures.forEach(failure::addSuppressed);
			throw failure;
		}
	}

}
