package io.jobqueue.spring.schema;

import java.util.List;

import io.jobqueue.spring.CannotStartException;

/**
 * The queue's tables, or columns of them, are not in the database.
 */
public class MissingSchemaException extends CannotStartException {

	/**
	 * Creates an exception.
	 * @param problems what is missing
	 * @param folder where on the class path the schema's files are
	 */
	public MissingSchemaException(List<String> problems, String folder) {
		super("The job queue's tables are missing or out of date: " + String.join("; ", problems), "Run the files in "
				+ folder + " of queue-core's jar, or let the job queue do so with "
				+ "jobqueue.schema=migrate (the default). They create what is missing and leave alone what is there: "
				+ "a table that lacks columns must be renamed or dropped first. If the table "
				+ JobQueueSchema.HISTORY_TABLE + " says that they have run already, drop it too, so that migrate "
				+ "runs them again.");
	}

}
