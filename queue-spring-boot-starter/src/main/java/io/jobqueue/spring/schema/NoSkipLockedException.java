package io.jobqueue.spring.schema;

import io.jobqueue.spring.CannotStartException;

/**
 * Jobs are to be claimed by SKIP LOCKED, but the database does not pass over locked rows,
 * so that workers would wait for each other.
 */
public class NoSkipLockedException extends CannotStartException {

	/**
	 * Creates an exception.
	 * @param problem what happened when it was tried
	 * @param setting what to do about the setting that needs it
	 */
	public NoSkipLockedException(String problem, String setting) {
		super("The job queue's database does not honour SELECT … FOR UPDATE SKIP LOCKED: " + problem,
				setting + ", or use MySQL 8.0.20 or later, MariaDB 10.6 or later, or H2 2, without a "
						+ "proxy that changes SKIP LOCKED.");
	}

}
