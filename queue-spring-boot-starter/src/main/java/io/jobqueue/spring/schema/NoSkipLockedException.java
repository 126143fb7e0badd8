package io.jobqueue.spring.schema;

/**
 * The database does not pass over locked rows, so that workers would wait for each other.
 */
public class NoSkipLockedException extends RuntimeException {

	/**
	 * Creates an exception.
	 * @param problem what happened when it was tried
	 */
	public NoSkipLockedException(String problem) {
		super("The job queue's database does not honour SELECT … FOR UPDATE SKIP LOCKED: " + problem);
	}

}
