package io.jobqueue.spring.schema;

import io.jobqueue.database.UnsupportedDatabaseException;
import io.jobqueue.spring.CannotStartException;

/**
 * The queue was to live in a database that it does not work on.
 */
public class UnsuitableDatabaseException extends CannotStartException {

	/**
	 * Creates an exception.
	 * @param cause what the database is, or cannot do
	 * @param action what to do about it
	 */
	public UnsuitableDatabaseException(UnsupportedDatabaseException cause, String action) {
		super(String.valueOf(cause.getMessage()), action, cause);
	}

}
