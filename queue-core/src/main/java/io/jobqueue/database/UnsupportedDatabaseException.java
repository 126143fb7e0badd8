package io.jobqueue.database;

/**
 * A DataSource belongs to a database that the queue does not work on.
 */
public class UnsupportedDatabaseException extends IllegalStateException {

	/**
	 * Creates an exception.
	 * @param problem what it cannot do, or that it is none of those
	 */
	public UnsupportedDatabaseException(String problem) {
		super(problem);
	}

}
