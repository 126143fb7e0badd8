package io.jobqueue.store;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.CannotCreateTransactionException;

/**
 * What a failure of the database means. Classified by the vendor's code first:
 * Connector/J reports a lock-wait timeout under the SQL state of a deadlock.
 */
public final class SqlFailure {

	/**
	 * The transaction was rolled back, or is to be, and may be repeated: lock-wait
	 * timeout, deadlock, changed record (MariaDB), certification (Group Replication); on
	 * H2 lock timeout and concurrent update.
	 */
	private static final Set<Integer> CONFLICTS = Set.of(1205, 1213, 3572, 1020, 3101, 50200, 90131, 23505);

	/**
	 * The server goes away or is not the one to write to: too many connections, shutdown,
	 * killed, read-only, no quorum; on H2 closed.
	 */
	private static final Set<Integer> OUTAGES = Set.of(1040, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1180, 1290,
			1836, 1927, 3100, 90067, 90098, 90121);

	private SqlFailure() {
	}

	/**
	 * Whether a transaction failed only because of another one, so that repeating it may
	 * succeed.
	 * @param failure what was thrown
	 * @return true for deadlocks, lock-wait timeouts and their kin
	 */
	public static boolean isConflict(Throwable failure) {
		SQLException sql = sqlException(failure);
		return sql != null && !isOutage(failure)
				&& (CONFLICTS.contains(sql.getErrorCode()) || "40001".equals(sql.getSQLState()));
	}

	/**
	 * Whether the server is one that must not be written to any more, as after a
	 * failover. Its connections look valid and are of no use.
	 * @param failure what was thrown
	 * @return true if the connection should not be used again
	 */
	public static boolean isWrongServer(Throwable failure) {
		SQLException sql = sqlException(failure);
		return sql != null && (sql.getErrorCode() == 1290 || sql.getErrorCode() == 1836);
	}

	/**
	 * Whether the database could not be reached or was lost, so that nothing is known
	 * about the data itself.
	 * @param failure what was thrown
	 * @return true for lost and refused connections, an exhausted pool, and servers that
	 * are going away
	 */
	public static boolean isOutage(Throwable failure) {
		SQLException sql = sqlException(failure);
		if (sql == null) {
			return find(failure, CannotCreateTransactionException.class) != null
					|| find(failure, DataAccessResourceFailureException.class) != null;
		}
		String state = sql.getSQLState();
		return OUTAGES.contains(sql.getErrorCode()) || (state != null && state.startsWith("08"))
				|| sql instanceof SQLNonTransientConnectionException || sql instanceof SQLTransientConnectionException
				|| sql instanceof SQLRecoverableException;
	}

	private static @Nullable SQLException sqlException(Throwable failure) {
		return find(failure, SQLException.class);
	}

	private static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
		Throwable current = failure;
		for (int depth = 0; current != null && depth < 50; depth++) {
			if (type.isInstance(current)) {
				return type.cast(current);
			}
			current = current.getCause();
		}
		return null;
	}

}
