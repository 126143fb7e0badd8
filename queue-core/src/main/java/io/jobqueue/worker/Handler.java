package io.jobqueue.worker;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.jobqueue.JobBatch;
import io.jobqueue.JobContext;
import io.jobqueue.OnDead;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.text.Durations;

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
 * @param chunks how many jobs it runs in one call
 */
public record Handler(String type, Invocation invocation, RetryPolicy retry, Duration timeout, boolean transactional,
		OnDead onDead, String limit, Chunks chunks) {

	/**
	 * A handler that runs one job in each call.
	 */
	public Handler(String type, Invocation invocation, RetryPolicy retry, Duration timeout, boolean transactional,
			OnDead onDead, String limit) {
		this(type, invocation, retry, timeout, transactional, onDead, limit, Chunks.OF_ONE);
	}

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
		if (chunks.size() > 1 && !(invocation instanceof ChunkInvocation)) {
			throw new IllegalArgumentException("Only an invocation for chunks runs several jobs in one call");
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
	 * How many jobs a handler runs in one call.
	 *
	 * @param size how many at most
	 * @param linger how long the first one waits for others
	 */
	public record Chunks(int size, Duration linger) {

		/** A job that waits for longer is given back, so that others may run it. */
		public static final Duration LONGEST_LINGER = Duration.ofSeconds(1);

		/** Each job has a call of its own. */
		public static final Chunks OF_ONE = new Chunks(1, Duration.ZERO);

		public Chunks {
			if (size < 1) {
				throw new IllegalArgumentException("batchSize must be at least 1, but is " + size);
			}
			if (linger.isNegative() || linger.compareTo(LONGEST_LINGER) > 0) {
				throw new IllegalArgumentException("batchWait must be from 0 to " + Durations.text(LONGEST_LINGER)
						+ ", but is " + Durations.text(linger));
			}
		}

	}

	/**
	 * The code that runs several jobs in one call.
	 */
	public interface ChunkInvocation extends Invocation {

		/**
		 * Reads the payload of a job, before the call.
		 * @param payload the payload as stored, or null if it has none
		 * @return what the call is to get of it
		 * @throws Exception if the attempt has failed, which concerns no other job
		 */
		Object read(@Nullable String payload) throws Exception;

		/**
		 * Runs jobs once.
		 * @param items the jobs, at least one
		 * @throws Exception if all of them have failed, or nobody knows which
		 */
		void invoke(List<ChunkItem> items) throws Exception;

		@Override
		default void invoke(@Nullable String payload, JobContext context) throws Exception {
			ChunkItem item = new ChunkItem(read(payload), context);
			invoke(List.of(item));
			Throwable failure = item.failure();
			if (failure instanceof Error error) {
				throw error;
			}
			if (failure != null) {
				throw (failure instanceof Exception exception) ? exception : new IllegalStateException(failure);
			}
		}

	}

	/**
	 * A job in a call for several. Used by the thread of that call only.
	 */
	public static final class ChunkItem implements JobBatch.Entry<Object> {

		private final Object payload;

		private final JobContext context;

		private @Nullable Throwable failure;

		public ChunkItem(Object payload, JobContext context) {
			this.payload = payload;
			this.context = context;
		}

		@Override
		public Object payload() {
			return this.payload;
		}

		@Override
		public JobContext context() {
			return this.context;
		}

		@Override
		public void fail(Throwable reason) {
			this.failure = Objects.requireNonNull(reason, "reason");
		}

		/**
		 * Why it has failed.
		 * @return null if it has not
		 */
		public @Nullable Throwable failure() {
			return this.failure;
		}

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

		/**
		 * What a handler of dead jobs reads their payloads as.
		 * @return the type; null if it is none of dead jobs, or does not read them
		 */
		default @Nullable Type payloadTypeOfDead() {
			return null;
		}

	}

}
