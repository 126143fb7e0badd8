package io.jobqueue;

import org.jspecify.annotations.Nullable;

/**
 * The connection broke while a commit was under way, so that nobody on this side can know
 * whether it took place. After an {@link JobQueue#enqueue enqueue} the job may exist or
 * not; enqueue it again with a {@link NewJob#uniqueKey(String) unique key} where a second
 * job would do harm. An enqueue whose jobs all have unique keys is repeated by the queue
 * itself, and ends in this exception only if the connection was lost during three commits
 * in a row, or if a repetition failed; it may be called again then, and the key decides.
 * Whoever commits a transaction of their own gets Spring's exception instead. If the
 * commit of a transactional handler is lost, this exception is stored as the error of the
 * attempt.
 */
public class UnknownOutcomeException extends RuntimeException {

	/**
	 * Creates an exception that tells what is unknown.
	 * @param message what may or may not have happened
	 * @param cause the failure of the commit
	 */
	public UnknownOutcomeException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
