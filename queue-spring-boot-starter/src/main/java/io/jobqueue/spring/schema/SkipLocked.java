package io.jobqueue.spring.schema;

import java.sql.SQLException;
import java.util.List;

import io.jobqueue.database.Database;
import io.jobqueue.database.SkipLockedProbe;
import io.jobqueue.store.jdbc.SchemaCheck;

import org.springframework.dao.DataAccessException;

/**
 * Finds out, before a worker starts, whether the database is one that it can claim from.
 */
public final class SkipLocked {

	private SkipLocked() {
	}

	/**
	 * Tries it.
	 * @param database the queue's database
	 * @throws NoSkipLockedException if the database does not pass over locked rows
	 * @throws MissingSchemaException if it could not be tried for want of tables
	 * @throws MissingRightsException if it could not be tried for want of rights
	 */
	public static void check(Database database) {
		String problem;
		try {
			problem = new SkipLockedProbe(database).problem();
		}
		catch (DataAccessException ex) {
			List<String> problems = new SchemaCheck(database).problems();
			if (problems.isEmpty()) {
				throw isDenied(ex) ? new MissingRightsException(ex) : ex;
			}
			throw new MissingSchemaException(problems, database.dialect().schemaFolder());
		}
		if (!problem.isEmpty()) {
			throw new NoSkipLockedException(problem);
		}
	}

	/**
	 * The SQL state of a syntax error or a missing right; the statement has no such
	 * error.
	 */
	private static boolean isDenied(DataAccessException failure) {
		return failure.getCause() instanceof SQLException sql
				&& ("42000".equals(sql.getSQLState()) || "90096".equals(sql.getSQLState()));
	}

}
