package io.jobqueue.spring.worker;

import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.store.Queues;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.system.JavaVersion;
import org.springframework.util.ClassUtils;

/**
 * Finds settings, at start-up, with which a worker would get stuck later.
 */
public final class WorkerCheck {

	/**
	 * The heartbeat keeps one connection; one more must be free for whatever else the
	 * slots may wait for.
	 */
	private static final int BESIDE_SLOTS = 2;

	private static final int LEAST_POOL = 3;

	private static final String POOL_SIZE = "spring.datasource.hikari.maximum-pool-size, if it is that of Spring Boot";

	/** One to wait and one to ring. */
	private static final int OF_DOORBELL = 2;

	/**
	 * What a shutdown takes at worst beside the grace period: to stop claiming, to
	 * interrupt, to give up, to commit the last results, to stop the maintenance; two
	 * seconds each.
	 */
	private static final Duration BESIDE_GRACE = Duration.ofSeconds(10);

	private final DataSource dataSource;

	private final WorkerSettings settings;

	private final Handlers handlers;

	private final Queues queues;

	private final boolean doorbell;

	private final Duration phaseTimeout;

	/**
	 * Creates a check of a worker's settings against its surroundings.
	 * @param dataSource the queue's DataSource
	 * @param settings the worker's settings
	 * @param handlers its handlers
	 * @param queues where the queues' modes stand
	 * @param doorbell whether it is woken by other nodes
	 * @param phaseTimeout how long Spring waits for a phase of the shutdown
	 */
	public WorkerCheck(DataSource dataSource, WorkerSettings settings, Handlers handlers, Queues queues,
			boolean doorbell, Duration phaseTimeout) {
		this.dataSource = dataSource;
		this.settings = settings;
		this.handlers = handlers;
		this.queues = queues;
		this.doorbell = doorbell;
		this.phaseTimeout = phaseTimeout;
	}

	/**
	 * Checks them.
	 * @throws UnsuitableWorkerException if the worker would get stuck; the message says
	 * what to change
	 */
	public void run() {
		checkPool();
		checkThreads();
		checkShutdown();
	}

	private void checkPool() {
		int slots = this.settings.slots().concurrency();
		int pool = poolSize(this.dataSource);
		int ofDoorbell = this.doorbell ? OF_DOORBELL : 0;
		if (pool < LEAST_POOL + ofDoorbell) {
			throw new UnsuitableWorkerException(
					"The connection pool of the job queue's DataSource has " + pool
							+ " connections at most, but a worker needs " + (LEAST_POOL + ofDoorbell)
							+ " for its heartbeats, claims and results" + (this.doorbell ? " and the doorbell" : ""),
					"Raise the maximum size of that pool (" + POOL_SIZE + ").");
		}
		String jobs = (pool < slots + BESIDE_SLOTS + ofDoorbell) ? whatKeepsConnections() : null;
		if (jobs != null) {
			throw new UnsuitableWorkerException(
					jobs + " keep a connection while they run, and there are " + slots
							+ " slots to run them, but the connection pool has " + pool
							+ " connections at most: the worker could wait for itself for ever",
					"Raise the maximum size of that pool (" + POOL_SIZE + ") to at least "
							+ (slots + BESIDE_SLOTS + ofDoorbell) + ", or lower jobqueue.worker.concurrency.");
		}
	}

	private @Nullable String whatKeepsConnections() {
		List<String> types = this.handlers.transactional();
		if (!types.isEmpty()) {
			return "The jobs of transactional handlers (" + String.join(", ", types) + ")";
		}
		List<String> queues = this.queues.rowLock().stream().filter(this.settings::serves).sorted().toList();
		return queues.isEmpty() ? null : "The jobs of queues in the mode row-lock (" + String.join(", ", queues) + ")";
	}

	private void checkThreads() {
		if (this.settings.slots().virtualThreads()
				&& JavaVersion.getJavaVersion().isOlderThan(JavaVersion.TWENTY_ONE)) {
			throw new UnsuitableWorkerException("The worker's slots are to be virtual threads, which Java "
					+ JavaVersion.getJavaVersion() + " does not have",
					"Run on Java 21 or later, or remove jobqueue.worker.virtual-threads.");
		}
	}

	private void checkShutdown() {
		Duration whole = this.settings.timing().shutdownGrace().plus(BESIDE_GRACE);
		if (whole.compareTo(this.phaseTimeout) > 0) {
			throw new UnsuitableWorkerException(
					"The worker's grace period of " + this.settings.timing().shutdownGrace() + " and " + BESIDE_GRACE
							+ " for an orderly end are more than the " + this.phaseTimeout
							+ " that Spring waits for a phase of the shutdown",
					"Lower jobqueue.worker.shutdown-grace or raise spring.lifecycle.timeout-per-shutdown-phase.");
		}
	}

	private static int poolSize(DataSource dataSource) {
		if (ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", WorkerCheck.class.getClassLoader())) {
			HikariDataSource hikari = DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class,
					HikariDataSource.class);
			if (hikari != null) {
				return hikari.getMaximumPoolSize();
			}
		}
		return Integer.MAX_VALUE;
	}

}
