package io.jobqueue.spring.schema;

import io.jobqueue.database.UnsupportedDatabaseException;
import io.jobqueue.spring.CannotStartException;

/**
 * The queue was to live in a database that it does not work on.
 */
public class UnsuitableDatabaseException extends CannotStartException {

	/**
	 * Creates an exception.
	 * @param cause what the database is
	 */
	public UnsuitableDatabaseException(UnsupportedDatabaseException cause) {
		super(String.valueOf(cause.getMessage()),
				"Mark the DataSource of a supported database with @JobQueueDataSource, or do without the job queue: "
						+ "jobqueue.enabled=false.",
				cause);
	}

}
