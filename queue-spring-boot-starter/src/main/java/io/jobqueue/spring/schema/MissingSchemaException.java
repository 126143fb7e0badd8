package io.jobqueue.spring.schema;

import java.util.List;

/**
 * The queue's tables, or columns of them, are not in the database.
 */
public class MissingSchemaException extends RuntimeException {

	private final String folder;

	/**
	 * Creates an exception.
	 * @param problems what is missing
	 * @param folder where on the class path the schema's files are
	 */
	public MissingSchemaException(List<String> problems, String folder) {
		super("The job queue's tables are missing or out of date: " + String.join("; ", problems));
		this.folder = folder;
	}

	/**
	 * Where the schema's files are.
	 * @return a folder on the class path
	 */
	public String folder() {
		return this.folder;
	}

}
