package io.jobqueue.spring.schema;

import io.jobqueue.spring.CannotStartException;

import org.springframework.core.NestedExceptionUtils;

/**
 * The queue's tables could not be created or migrated.
 */
public class SchemaMigrationException extends CannotStartException {

	/**
	 * Creates an exception.
	 * @param folder where on the class path the schema's files are
	 * @param cause what happened
	 */
	public SchemaMigrationException(String folder, Throwable cause) {
		super("The job queue's tables could not be created or migrated: " + reason(cause),
				"Give the DataSource's user the rights to do it (CREATE and INDEX). Or run the files in " + folder
						+ " of queue-core's jar by hand, as a user who has them, and set jobqueue.schema=validate. What has "
						+ "run is in the table " + JobQueueSchema.HISTORY_TABLE
						+ "; what failed is run again at the next start, and nothing need be cleaned up before.",
				cause);
	}

	/**
	 * What happened first, in words. Some exceptions have no message: then their type.
	 */
	static String reason(Throwable failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		return (cause.getMessage() != null) ? cause.getMessage() : cause.toString();
	}

}
