package io.jobqueue.database;

import java.util.Objects;
import java.util.function.BooleanSupplier;

import javax.sql.DataSource;

/**
 * A database as tests of applications need it.
 */
public final class DatabaseForTests {

	private DatabaseForTests() {
	}

	/**
	 * The same database by another clock and, on threads whose transaction is that of a
	 * test, inside that transaction: all statements run in it, and each transaction of
	 * the queue's own is a savepoint. So a test sees what it has not committed, and rolls
	 * all of it back.
	 * @param database the database
	 * @param clock the clock
	 * @param inside whether the transaction that this thread has open is that of a test
	 * @return the view
	 */
	public static Database of(Database database, TestClock clock, BooleanSupplier inside) {
		DataSource own = Objects.requireNonNull(database.template().getDataSource());
		InsideDataSource statements = new InsideDataSource(own, database.callers(), inside);
		return new Database(database, null, statements,
				Transactions.inside(statements, database.dataSource(), database.dialect(), inside),
				database.texts().by(clock));
	}

}
