package io.jobqueue.spring.schema;

import io.jobqueue.spring.CannotStartException;

import org.springframework.core.NestedExceptionUtils;

/**
 * The queue's database could not be asked at the start.
 */
public class UnreachableDatabaseException extends CannotStartException {

	/**
	 * Creates an exception.
	 * @param cause what happened
	 */
	public UnreachableDatabaseException(Exception cause) {
		super("The job queue cannot connect to its database: "
				+ NestedExceptionUtils.getMostSpecificCause(cause).getMessage(),
				"Start the database before the application, and check URL, user and password of the DataSource that is marked "
						+ "with @JobQueueDataSource or, if none is, of the only one (spring.datasource.url, username and password).",
				cause);
	}

}
