package io.jobqueue.database;

/**
 * A DataSource belongs to a database that the queue does not work on.
 */
public class UnsupportedDatabaseException extends IllegalStateException {

	/**
	 * Creates an exception.
	 * @param product the database's name and version
	 */
	public UnsupportedDatabaseException(String product) {
		super("The job queue works on MySQL, MariaDB and H2, but its DataSource is " + product);
	}

}
