package io.jobqueue.spring.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The job queue's settings.
 *
 * @param enabled whether there is a job queue at all
 * @param schema what happens to the queue's tables at start-up: migrate, validate or none
 * @param maxPayloadSize the largest payload that may be enqueued, as UTF-8
 * @param inlinePayloadSize the largest payload that is kept in the job's own row; larger
 * ones have a table of their own
 * @param uniqueKeyRetention how long a unique key is held after its job became available;
 * while the job is live it is held in any case
 * @param timeout how long an attempt may run, unless its handler or job says otherwise; 0
 * for no limit
 * @param networkTimeout how long the queue's own transactions and reads wait for an
 * answer of the server before they give up the connection; 0 for as long as the driver
 * does
 * @param sampleInterval least time between two measurements of the queues, for meters and
 * endpoint
 * @param retry when and how often a failed job runs again, unless its handler or job says
 * otherwise
 * @param worker the worker of this application
 * @param archive what is kept of jobs that have ended
 * @param queues settings of single queues, by name
 */
@ConfigurationProperties("jobqueue")
public record JobQueueProperties(@DefaultValue("true") boolean enabled, @DefaultValue("migrate") Schema schema,
		@DefaultValue("1MB") DataSize maxPayloadSize, @DefaultValue("4KB") DataSize inlinePayloadSize,
		@DefaultValue("1d") Duration uniqueKeyRetention, @DefaultValue("1h") Duration timeout,
		@DefaultValue("1m") Duration networkTimeout, @DefaultValue("15s") Duration sampleInterval,
		@DefaultValue Retry retry, @DefaultValue Worker worker, @DefaultValue Archive archive,
		@DefaultValue Map<String, Queue> queues) {

	/**
	 * When and how often a failed job runs again.
	 *
	 * @param maxAttempts how many attempts a job has, the first included
	 * @param delay the delay after the first failure
	 * @param multiplier what each further failure multiplies the delay by; 1 makes it
	 * fixed
	 * @param maxDelay the longest delay, before jitter
	 * @param jitter the share of the delay by which it varies at random, from 0 to 1
	 */
	public record Retry(@DefaultValue("10") int maxAttempts, @DefaultValue("1s") Duration delay,
			@DefaultValue("2") double multiplier, @DefaultValue("1h") Duration maxDelay,
			@DefaultValue("0.2") double jitter) {

	}

	/**
	 * The worker of this application.
	 *
	 * @param enabled whether this application runs jobs; one that does not can still
	 * enqueue
	 * @param name what operators know the worker by; the default is made of application,
	 * host and process
	 * @param queues the queues it serves; empty for every queue there is
	 * @param concurrency how many attempts it runs at once
	 * @param prefetch how many jobs it may hold beyond those at most, while jobs are
	 * quick
	 * @param virtualThreads whether attempts run on virtual threads (Java 21 or later);
	 * the default is spring.threads.virtual.enabled
	 * @param pollInterval how often it looks for jobs of other nodes when idle; jobs of
	 * its own node wake it at once
	 * @param heartbeatInterval how often it prolongs its session
	 * @param sessionTimeout how long after its last heartbeat others rescue its jobs
	 * @param shutdownGrace how long running attempts may go on when the application stops
	 * @param flushSize how many results are committed at once at most
	 * @param flushDelay how long a result waits for others while other attempts run
	 */
	public record Worker(@DefaultValue("true") boolean enabled, @Nullable String name, @Nullable List<String> queues,
			@DefaultValue("8") int concurrency, @DefaultValue("1000") int prefetch, @Nullable Boolean virtualThreads,
			@DefaultValue("1s") Duration pollInterval, @DefaultValue("5s") Duration heartbeatInterval,
			@DefaultValue("15s") Duration sessionTimeout, @DefaultValue("20s") Duration shutdownGrace,
			@DefaultValue("500") int flushSize, @DefaultValue("2ms") Duration flushDelay) {

	}

	/**
	 * What is kept of jobs that have ended.
	 *
	 * @param keepSucceeded whether succeeded jobs are archived; else they are deleted
	 * @param succeeded how long succeeded jobs are kept
	 * @param dead how long dead jobs are kept and can be redriven
	 * @param cancelled how long cancelled jobs are kept
	 * @param expired how long expired jobs are kept
	 * @param pruneInterval how often old jobs are looked for
	 */
	public record Archive(@DefaultValue("true") boolean keepSucceeded, @DefaultValue("7d") Duration succeeded,
			@DefaultValue("90d") Duration dead, @DefaultValue("7d") Duration cancelled,
			@DefaultValue("7d") Duration expired, @DefaultValue("5m") Duration pruneInterval) {

	}

	/**
	 * Settings of one queue, written to the database at start-up.
	 *
	 * @param order whether the oldest or the newest due job is claimed first
	 */
	public record Queue(@DefaultValue("fifo") Order order) {

	}

	/**
	 * What happens to the queue's tables when the application starts.
	 */
	public enum Schema {

		/**
		 * They are created and migrated, with a history table of their own, and checked.
		 */
		MIGRATE,

		/**
		 * They are checked, and the application does not start if something is missing.
		 */
		VALIDATE,

		/** Nothing. */
		NONE

	}

	/**
	 * Which due job of a queue is claimed first, among those of one priority.
	 */
	public enum Order {

		/** The oldest. */
		FIFO,

		/** The newest. */
		LIFO

	}

}
