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
		super("The job queue's tables are missing or out of date: " + String.join("; ", problems),
				"Let the job queue create them with jobqueue.schema=migrate (the default), or run the files in "
						+ folder + " of queue-core's jar.");
	}

}
