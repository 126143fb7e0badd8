package io.jobqueue.worker;

import java.lang.reflect.Type;
import java.time.Duration;

import io.jobqueue.JobContext;
import io.jobqueue.OnDead;
import io.jobqueue.retry.RetryPolicy;

import org.jspecify.annotations.Nullable;

/**
 * What runs the jobs of one type.
 *
 * @param type the type
 * @param invocation the code
 * @param retry whether and when a failed job runs again
 * @param timeout how long an attempt may run, unless the job says otherwise
 * @param transactional whether it runs in a transaction on the queue's DataSource that
 * ends with the ack
 * @param onDead what the death of a job means for the later jobs of its order key
 * @param limit the name of the limit of its jobs; empty for none
 */
public record Handler(String type, Invocation invocation, RetryPolicy retry, Duration timeout, boolean transactional,
		OnDead onDead, String limit) {

	/**
	 * A handler whose dead jobs keep no others from running, and that has no limit.
	 */
	public Handler(String type, Invocation invocation, RetryPolicy retry, Duration timeout, boolean transactional) {
		this(type, invocation, retry, timeout, transactional, OnDead.CONTINUE, "");
	}

	public Handler {
		if (timeout.isNegative()) {
			throw new IllegalArgumentException("timeout must not be negative, but is " + timeout);
		}
	}

	/**
	 * How long an attempt may run.
	 * @param ofJob what the job says; zero or less if it says nothing
	 * @return the timeout; zero for no limit
	 */
	public Duration timeoutOf(Duration ofJob) {
		return (ofJob.isZero() || ofJob.isNegative()) ? this.timeout : ofJob;
	}

	/**
	 * The code that runs a job.
	 */
	@FunctionalInterface
	public interface Invocation {

		/**
		 * Runs a job once.
		 * @param payload its payload as stored, or null if it has none
		 * @param context what else is known of it
		 * @throws Exception if the attempt failed
		 */
		void invoke(@Nullable String payload, JobContext context) throws Exception;

		/**
		 * What it reads a payload as.
		 * @return the type; null if it takes no payload, or reads it in a way of its own
		 */
		default @Nullable Type payloadType() {
			return null;
		}

	}

}
