package io.jobqueue.database;

import java.util.Objects;

/**
 * Views of a database that tests of applications need.
 */
public final class DatabaseForTests {

	private DatabaseForTests() {
	}

	/**
	 * The same database, but all statements run in the transaction that the caller has
	 * open on it, and each transaction of the queue's own is a savepoint of that one. So
	 * a test sees what it has not committed, and rolls all of it back.
	 * @param database the database
	 * @return the view, for threads with an open transaction only
	 */
	public static Database inside(Database database) {
		return new Database(database, null, database.dataSource(),
				Transactions.inside(database.dataSource(), database.dialect()), database.texts());
	}

	/**
	 * The same database by another clock.
	 * @param database the database
	 * @param clock the clock
	 * @return the view
	 */
	public static Database by(Database database, TestClock clock) {
		return new Database(database, null, Objects.requireNonNull(database.template().getDataSource()),
				database.transactions(), database.texts().by(clock));
	}

}
