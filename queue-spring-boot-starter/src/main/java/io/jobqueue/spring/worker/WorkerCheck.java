package io.jobqueue.spring.worker;

import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import io.jobqueue.maintenance.QueueModes;
import io.jobqueue.text.Durations;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.system.JavaVersion;

/**
 * Finds settings, at start-up, with which a worker would get stuck later.
 */
public final class WorkerCheck {

	private static final String POOL_SIZE = "spring.datasource.hikari.maximum-pool-size, if it is that of Spring Boot";

	/**
	 * What a shutdown takes at worst beside the grace period: to stop claiming, to
	 * interrupt, to give up, to commit the last results, to stop the maintenance; two
	 * seconds each.
	 */
	private static final Duration BESIDE_GRACE = Duration.ofSeconds(10);

	private final DataSource dataSource;

	private final WorkerSettings settings;

	private final Handlers handlers;

	private final QueueModes modes;

	private final boolean doorbell;

	private final Duration phaseTimeout;

	/**
	 * Creates a check of a worker's settings against its surroundings.
	 * @param dataSource the queue's DataSource
	 * @param settings the worker's settings
	 * @param handlers its handlers
	 * @param modes the modes of the queues
	 * @param doorbell whether it is woken by other nodes
	 * @param phaseTimeout how long Spring waits for a phase of the shutdown
	 */
	public WorkerCheck(DataSource dataSource, WorkerSettings settings, Handlers handlers, QueueModes modes,
			boolean doorbell, Duration phaseTimeout) {
		this.dataSource = dataSource;
		this.settings = settings;
		this.handlers = handlers;
		this.modes = modes;
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
		WorkerConnections connections = new WorkerConnections(this.dataSource, slots, this.doorbell);
		int pool = connections.most();
		if (pool < connections.least()) {
			throw new UnsuitableWorkerException(
					"The connection pool of the job queue's DataSource has " + pool
							+ " connections at most, but a worker needs " + connections.least()
							+ " for its heartbeats, claims and results" + (this.doorbell ? " and the doorbell" : ""),
					"Raise the maximum size of that pool (" + POOL_SIZE + ").");
		}
		String jobs = (pool < connections.leastWithOneForEachSlot()) ? whatKeepsConnections() : null;
		if (jobs != null) {
			throw new UnsuitableWorkerException(
					jobs + " keep a connection while they run, and there are " + slots
							+ " slots to run them, but the connection pool has " + pool
							+ " connections at most: the worker could wait for itself for ever",
					"Raise the maximum size of that pool (" + POOL_SIZE + ") to at least "
							+ connections.leastWithOneForEachSlot() + ", or lower jobqueue.worker.concurrency.");
		}
	}

	private @Nullable String whatKeepsConnections() {
		List<String> types = this.handlers.transactional();
		if (!types.isEmpty()) {
			return "The jobs of transactional handlers (" + String.join(", ", types) + ")";
		}
		List<String> queues = this.modes.rowLock().stream().filter(this.settings::serves).sorted().toList();
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
					"The worker's grace period of " + Durations.text(this.settings.timing().shutdownGrace()) + " and "
							+ Durations.text(BESIDE_GRACE) + " for an orderly end are more than the "
							+ Durations.text(this.phaseTimeout) + " that Spring waits for a phase of the shutdown",
					"Lower jobqueue.worker.shutdown-grace or raise spring.lifecycle.timeout-per-shutdown-phase.");
		}
	}

}
