package io.jobqueue.spring.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.Keep;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;

import static io.jobqueue.spring.autoconfigure.PropertyRules.check;
import static io.jobqueue.spring.autoconfigure.PropertyRules.duration;
import static io.jobqueue.spring.autoconfigure.PropertyRules.queueName;
import static io.jobqueue.spring.autoconfigure.PropertyRules.size;

/**
 * The job queue's settings.
 *
 * @param enabled whether there is a job queue at all
 * @param autoStartup whether worker, doorbell and history start with the application
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
 * @param doorbell whether workers of other nodes are woken when jobs are committed,
 * rather than left to find them by polling; keeps up to two more connections. Needs a
 * direct connection to MySQL or MariaDB as the same user on each node
 * @param sampleInterval least time between two measurements of the queues, for meters and
 * endpoint
 * @param retry when and how often a failed job runs again, unless its handler or job says
 * otherwise
 * @param worker the worker of this application
 * @param archive what is kept of jobs that have ended
 * @param metrics what is measured
 * @param queues settings of single queues, by name
 * @param limits how many jobs of types that name one may run and start, by name
 * @param schedules the recurring jobs that code declares
 * @param audit what is written of what operators do
 * @param history what is kept of what happened
 * @param observation whether traces are made
 * @param dashboard the settings of the dashboard, which the module queue-dashboard reads
 * and checks
 */
@ConfigurationProperties(prefix = "jobqueue", ignoreUnknownFields = false)
public record JobQueueProperties(@DefaultValue("true") boolean enabled, @DefaultValue("true") boolean autoStartup,
		@DefaultValue("migrate") Schema schema, @DefaultValue("1MB") DataSize maxPayloadSize,
		@DefaultValue("4KB") DataSize inlinePayloadSize, @DefaultValue("1d") Duration uniqueKeyRetention,
		@DefaultValue("1h") Duration timeout, @DefaultValue("1m") Duration networkTimeout,
		@DefaultValue("false") boolean doorbell, @DefaultValue("30s") Duration sampleInterval,
		@DefaultValue Retry retry, @DefaultValue Worker worker, @DefaultValue Archive archive,
		@DefaultValue Metrics metrics, @DefaultValue Map<String, QueueProperties> queues,
		@DefaultValue Map<String, LimitProperties> limits, @DefaultValue Schedules schedules,
		@DefaultValue @NestedConfigurationProperty AuditProperties audit,
		@DefaultValue @NestedConfigurationProperty HistoryProperties history,
		@DefaultValue @NestedConfigurationProperty ObservationProperties observation,
		@DefaultValue Map<String, Object> dashboard) {

	public JobQueueProperties {
		size("max-payload-size", maxPayloadSize, 1);
		size("inline-payload-size", inlinePayloadSize, 0);
		duration("unique-key-retention", uniqueKeyRetention);
		duration("timeout", timeout);
		duration("network-timeout", networkTimeout);
		duration("sample-interval", sampleInterval);
		queues.keySet().forEach((queue) -> queueName("queues", queue));
		limits.forEach((name, limit) -> limit.check(name));
	}

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

		public Retry {
			check(maxAttempts >= 1, "retry.max-attempts", "at least 1", maxAttempts);
			duration("retry.delay", delay);
			check(multiplier >= 1, "retry.multiplier", "at least 1", multiplier);
			duration("retry.max-delay", maxDelay);
			check(jitter >= 0 && jitter <= 1, "retry.jitter", "from 0 to 1", jitter);
		}

	}

	/**
	 * The worker of this application.
	 *
	 * @param enabled whether this application runs jobs; one that does not can still
	 * enqueue
	 * @param name what operators know the worker by; the default is made of application,
	 * host and process
	 * @param queues the queues that the worker serves; empty for every queue there is
	 * @param concurrency how many attempts a worker runs at once
	 * @param prefetch how many jobs a worker may hold at most beyond its concurrency,
	 * while jobs are quick; results that cannot be committed may come on top
	 * @param virtualThreads whether attempts run on virtual threads (Java 21 or later);
	 * the default is spring.threads.virtual.enabled
	 * @param pollInterval how often an idle worker looks for jobs of other nodes; jobs of
	 * its own node wake it
	 * @param heartbeatInterval how often a worker prolongs its session
	 * @param sessionTimeout how long after a worker's last heartbeat others rescue its
	 * jobs; at least twice the heartbeat interval, at most a day
	 * @param shutdownGrace how long running attempts may go on when the application stops
	 * @param flushSize how many jobs are claimed, and how many results are committed, in
	 * one transaction at most
	 * @param flushDelay how long a result waits for others while the worker holds other
	 * jobs
	 * @param claim how a claim takes jobs such that no other takes them as well
	 */
	public record Worker(@DefaultValue("true") boolean enabled, @Nullable String name, @Nullable List<String> queues,
			@DefaultValue("8") int concurrency, @DefaultValue("2000") int prefetch, @Nullable Boolean virtualThreads,
			@DefaultValue("1s") Duration pollInterval, @DefaultValue("5s") Duration heartbeatInterval,
			@DefaultValue("15s") Duration sessionTimeout, @DefaultValue("20s") Duration shutdownGrace,
			@DefaultValue("1000") int flushSize, @DefaultValue("2ms") Duration flushDelay,
			@DefaultValue("auto") ClaimStrategy claim) {

		private static final int MAX_NAME = 255;

		public Worker {
			if (name != null) {
				check(!name.isBlank() && name.length() <= MAX_NAME, "worker.name", "from 1 to 255 characters",
						name.length() + " characters long");
			}
			if (queues != null) {
				queues.forEach((queue) -> queueName("worker.queues", queue));
			}
			check(concurrency >= 1, "worker.concurrency", "at least 1", concurrency);
			check(prefetch >= 0, "worker.prefetch", "at least 0", prefetch);
			duration("worker.poll-interval", pollInterval, 1);
			duration("worker.heartbeat-interval", heartbeatInterval, 10);
			PropertyRules.sessionTimeout("worker.session-timeout", sessionTimeout, heartbeatInterval);
			duration("worker.shutdown-grace", shutdownGrace);
			check(flushSize >= 1, "worker.flush-size", "at least 1", flushSize);
			duration("worker.flush-delay", flushDelay);
		}

	}

	/**
	 * What is kept of jobs that have ended.
	 *
	 * @param keepSucceeded whether succeeded jobs are archived; else they are deleted
	 * @param succeeded how long succeeded jobs are kept; days if without a unit
	 * @param dead how long dead jobs are kept and can be redriven; days if without a unit
	 * @param cancelled how long cancelled jobs are kept; days if without a unit
	 * @param expired how long expired jobs are kept; days if without a unit
	 * @param maxRows how many archived jobs of each state are kept, whatever their age; 0
	 * for any number
	 * @param pruneInterval how often old jobs are looked for
	 */
	public record Archive(@DefaultValue("true") boolean keepSucceeded,
			@DefaultValue("7d") @DurationUnit(ChronoUnit.DAYS) Duration succeeded,
			@DefaultValue("90d") @DurationUnit(ChronoUnit.DAYS) Duration dead,
			@DefaultValue("7d") @DurationUnit(ChronoUnit.DAYS) Duration cancelled,
			@DefaultValue("7d") @DurationUnit(ChronoUnit.DAYS) Duration expired, @DefaultValue("0") long maxRows,
			@DefaultValue("5m") Duration pruneInterval) {

		public Archive {
			duration("archive.succeeded", succeeded);
			duration("archive.dead", dead);
			duration("archive.cancelled", cancelled);
			duration("archive.expired", expired);
			check(maxRows >= 0, "archive.max-rows", "at least 0", maxRows);
			duration("archive.prune-interval", pruneInterval, 1);
		}

		Keep keep(Duration age) {
			return new Keep(age, this.maxRows, false);
		}

	}

	/**
	 * What is measured.
	 *
	 * @param maxQueues how many queues have meters of their own; the others are summed
	 * under the tag "(others)"
	 */
	public record Metrics(@DefaultValue("100") int maxQueues) {

		public Metrics {
			check(maxQueues >= 0, "metrics.max-queues", "at least 0", maxQueues);
		}

	}

	/**
	 * The recurring jobs that code declares.
	 *
	 * @param revision of the code and its limits: where nodes declare a schedule or a
	 * limit in different ways, the higher one holds; if equal, what was first seen later
	 */
	public record Schedules(@DefaultValue("0") long revision) {

		public Schedules {
			check(revision >= 0, "schedules.revision", "at least 0", revision);
		}

	}

	/**
	 * What happens to the queue's tables when the application starts.
	 */
	public enum Schema {

		/**
		 * The tables are created and migrated, with a history table of their own, and
		 * checked.
		 */
		MIGRATE,

		/**
		 * The tables are checked, and the application does not start if something is
		 * missing.
		 */
		VALIDATE,

		/** The tables are left alone. */
		NONE

	}

}
