package io.jobqueue.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.JobContext;
import io.jobqueue.Limit;
import io.jobqueue.OnDead;
import io.jobqueue.database.Database;
import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Worker;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jdbc.support.JdbcUtils;

/**
 * The program of a worker process: the worker and its maintenance as the starter sets
 * them up, with handlers that leave traces. Says on its standard output when it has
 * started, which attempts it starts, and which it believes to have succeeded. Stops in
 * good order at SIGTERM, and at once when its standard input ends, with the process that
 * started it.
 */
final class ChaosWorker {

	/** Leaves an effect. */
	static final String EFFECT = "effect";

	/** As that, and no more than some at once, for each limit key. */
	static final String LIMITED = "limited";

	static final Limit LIMIT = Limit.of("chaos").running(6);

	/** Leaves an entry in the ledger, in the transaction of its ack. */
	static final String LEDGER = "ledger";

	/**
	 * The same for many at once, and fails now and then: each job has to end all the
	 * same.
	 */
	static final String BATCH = "batch";

	/** Leaves an effect and fails, always. */
	static final String FAILING = "failing";

	static final String READY = "ready";

	static final String STARTED = "started";

	/** The time of day as the process has it, in ms. */
	static final String CLOCK = "clock ";

	static final String WON = "won";

	/** Tells the process to take every connection of its pool, for so many ms. */
	static final String HOG = "hog ";

	static final String HOGGING = "hogging";

	private static final String SLEEP = "sleep=";

	private static final Duration LONGEST = Duration.ofMinutes(1);

	private final ThreadLocal<@Nullable Claim> claim = new ThreadLocal<>();

	/** Of jobs that have started, by id. */
	private final Map<Long, Claim> claims = new ConcurrentHashMap<>();

	private final HikariDataSource pool;

	private final Effects effects;

	private final Worker worker;

	private final Maintenance maintenance;

	private ChaosWorker(WorkerArguments arguments, HikariDataSource pool) {
		this.pool = pool;
		WorkerSettings settings = arguments.settings();
		Database database = new Database(pool);
		QueueNode node = QueueNode.on(database, StoreSettings.DEFAULT.withClaim(arguments.claim()))
			.withJobs((jobs) -> arguments.mutant().of(jobs, pool));
		RetryPolicy retry = arguments.retry();
		List<Handler> all = new ArrayList<>(List.of(new Handler(EFFECT, this::effect, retry, LONGEST, false),
				new Handler(LEDGER, this::ledger, retry, LONGEST, true),
				new Handler(LIMITED, this::effect, retry, LONGEST, false, OnDead.CONTINUE, LIMIT.name()),
				new Handler(BATCH, new InChunks(), retry, LONGEST, true, OnDead.CONTINUE, "",
						new Handler.Chunks(20, Duration.ofMillis(50))),
				new Handler(FAILING, this::failing, arguments.retryAsUsual(), LONGEST, false)));
		for (Poison poison : Poison.values()) {
			all.add(new Handler(poison.type(), poison::invoke, retry, poison.timeout(), false));
		}
		Handlers handlers = new Handlers(all);
		this.effects = new Effects(new JdbcTemplate(pool), arguments.name());
		this.worker = node.worker(handlers, node.handlerTransaction(new JdbcTransactionManager(pool)), settings,
				Extensions.listener(new Traces()));
		this.maintenance = new Maintenance(List.of(node.chores().rescue(settings.timing()),
				node.chores().expire(Duration.ofSeconds(1)), node.chores().fireSchedules(),
				node.chores().deadLetterUnknownStates(Duration.ofSeconds(1)), node.chores().sweepWaitingJobs()));
	}

	private void effect(@Nullable String payload, JobContext job) {
		sleep(payload);
		this.effects.leave(Effects.EFFECT, this.claim.get(), job.attempt());
	}

	private void ledger(@Nullable String payload, JobContext job) {
		this.effects.leave(Effects.LEDGER, this.claim.get(), job.attempt());
		sleep(payload);
	}

	/**
	 * Each of some jobs by its own claim.
	 */
	private final class InChunks implements Handler.ChunkInvocation {

		@Override
		public Object read(@Nullable String payload) {
			return (payload != null) ? payload : "";
		}

		@Override
		public void invoke(List<Handler.ChunkItem> items) {
			for (Handler.ChunkItem item : items) {
				ChaosWorker.this.effects.leave(Effects.LEDGER, ChaosWorker.this.claims.get(item.context().id()),
						item.context().attempt());
			}
			sleep((String) items.get(0).payload());
			if (items.size() > 1 && ThreadLocalRandom.current().nextInt(4) == 0) {
				throw new IllegalStateException("Nobody knows which one");
			}
		}

	}

	private void failing(@Nullable String payload, JobContext job) {
		this.effects.leave(Effects.EFFECT, this.claim.get(), job.attempt());
		throw new IllegalStateException("fails always");
	}

	/** As deaf to interrupts as a handler that computes. */
	private static void sleep(@Nullable String payload) {
		int start = (payload != null) ? payload.indexOf(SLEEP) : -1;
		if (start < 0) {
			return;
		}
		String millis = payload.substring(start + SLEEP.length()).split(" ", 2)[0];
		long until = System.nanoTime() + Duration.ofMillis(Long.parseLong(millis)).toNanos();
		boolean interrupted = false;
		for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
			LockSupport.parkNanos(left);
			interrupted |= Thread.interrupted();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/** Whether jobs of a type have to end as dead. */
	static boolean mustDie(String type) {
		return type.equals(FAILING) || Poison.isType(type);
	}

	private void run() throws IOException {
		Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "stop"));
		this.worker.start();
		this.maintenance.start();
		say(CLOCK + System.currentTimeMillis());
		say(READY);
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
		for (String command = commands.readLine(); command != null; command = commands.readLine()) {
			exhaustPool(Long.parseLong(command.substring(HOG.length())));
		}
		Runtime.getRuntime().halt(2);
	}

	/** Does what an application does that leaks connections, for a while. */
	private void exhaustPool(long millis) {
		List<Connection> taken = new ArrayList<>();
		try {
			takeAll(taken);
			say(HOGGING);
			Thread.sleep(millis);
		}
		catch (SQLException ex) {
			throw new IllegalStateException("The pool cannot be asked", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			taken.forEach((connection) -> JdbcUtils.closeConnection(connection));
		}
	}

	private void takeAll(List<Connection> taken) throws SQLException {
		try {
			while (true) {
				taken.add(this.pool.getConnection());
			}
		}
		catch (SQLTransientConnectionException ex) {
			// There are no more.
		}
	}

	private void stop() {
		this.worker.stop();
		this.maintenance.stop();
	}

	private static void say(String line) {
		System.out.println(line);
		System.out.flush();
	}

	public static void main(String[] commandLine) throws IOException {
		WorkerArguments arguments = WorkerArguments.parse(commandLine);
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(arguments.url());
		config.setUsername(arguments.username());
		config.setPassword(arguments.password());
		config.setMaximumPoolSize(WorkerArguments.POOL);
		config.setInitializationFailTimeout(60_000);
		config.setConnectionTimeout(5_000);
		new ChaosWorker(arguments, new HikariDataSource(config)).run();
	}

	/**
	 * Tells the handler of its claim, and the process that started this one of successes.
	 */
	private final class Traces implements WorkerListener {

		@Override
		public void started(ClaimedJob job, Duration delay) {
			ChaosWorker.this.claim.set(job.claim());
			ChaosWorker.this.claims.put(job.claim().id(), job.claim());
			say(STARTED + " " + job.claim().id() + " " + job.claim().fence());
		}

		@Override
		public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
			if (outcome == Outcome.SUCCEEDED) {
				say(WON + " " + job.claim().id() + " " + job.claim().fence());
			}
		}

	}

}
