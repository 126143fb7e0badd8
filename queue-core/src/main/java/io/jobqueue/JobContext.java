package io.jobqueue;

import java.time.Instant;
import java.util.Optional;

/**
 * What a handler may know about the job that it runs.
 */
public interface JobContext {

	/**
	 * The job's id, the same in every attempt. Give it to other systems as the
	 * idempotency key, with the application's name before it: then an effect that is
	 * repeated there does no harm.
	 * @return the id
	 */
	long id();

	/**
	 * The job's type.
	 * @return the type
	 */
	String type();

	/**
	 * The queue that the job was enqueued to.
	 * @return the queue's name
	 */
	String queue();

	/**
	 * The number of this attempt.
	 * @return 1 for the first attempt
	 */
	int attempt();

	/**
	 * How many attempts the job may have, the first included.
	 * @return at least 1
	 */
	int maxAttempts();

	/**
	 * When the job was enqueued, by the database's clock.
	 * @return the time
	 */
	Instant enqueuedAt();

	/**
	 * The tick of the schedule that the job belongs to, without jitter: the time for
	 * which a recurring job runs, however late it runs.
	 * @return the tick, by the database's clock; empty for other jobs
	 * @see Recurring
	 */
	Optional<Instant> scheduledFor();

	/**
	 * The job's order key.
	 * @return the key; empty if it has none
	 * @see NewJob#orderKey(String)
	 */
	Optional<String> orderKey();

	/**
	 * Whether the job was cancelled while this attempt ran. The attempt is interrupted
	 * then; a handler that does not wait anywhere, or that has caught the interrupt, asks
	 * this and returns. Known within the heartbeat interval if it was cancelled on
	 * another node.
	 * @return true if what the handler does will be discarded
	 */
	boolean isCancelled();

	/**
	 * Whether this is the attempt after which a failure makes the job dead.
	 * @return true if no further attempt would follow
	 */
	default boolean isLastAttempt() {
		return attempt() >= maxAttempts();
	}

}
