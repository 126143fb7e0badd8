package io.jobqueue.store;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionException;

/**
 * What a failure of the database means. Classified by the vendor's code first:
 * Connector/J reports a lock-wait timeout under the SQL state of a deadlock.
 */
public final class SqlFailure {

	/**
	 * The transaction was rolled back, or is to be, and may be repeated: lock-wait
	 * timeout, deadlock, changed record (MariaDB), certification (Group Replication); on
	 * H2 lock timeout, concurrent update, and a duplicate key, by which its MERGE loses a
	 * race.
	 */
	private static final Set<Integer> CONFLICTS = Set.of(1205, 1213, 3572, 1020, 3101, 50200, 90131, 23505);

	/**
	 * The server goes away or cannot be written to: too many connections (of all, or of
	 * this user or host), disk full, shutdown, killed, read-only, offline, no quorum,
	 * closed for being idle; a router that reaches no server; on H2 closed.
	 */
	private static final Set<Integer> OUTAGES = Set.of(1040, 1203, 1226, 1129, 1021, 1114, 1053, 1077, 1079, 1152, 1158,
			1159, 1160, 1161, 1180, 1290, 1836, 1927, 3032, 3100, 4031, 2003, 9001, 90067, 90098, 90121);

	/**
	 * The server has refused to commit, and rolled back: read-only, or refused before the
	 * commit (Group Replication).
	 */
	private static final Set<Integer> REFUSED_COMMITS = Set.of(1290, 1836, 3100);

	private static final int BEFORE_COMMIT_REFUSED = 3100;

	/**
	 * A statement has not been carried out: no room for what it writes, too many
	 * statements of this user, closed for being idle before it came.
	 */
	private static final Set<Integer> NOT_DONE = Set.of(1021, 1114, 1226, 4031);

	/** MySQL's "Incorrect string value", which has the SQL state HY000. */
	private static final int INCORRECT_STRING = 1366;

	/** MySQL's "Check constraint is violated", which has the same. */
	private static final int CHECK_VIOLATED = 3819;

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
	 * Whether a statement waited for a lock until its time was over. It would wait as
	 * long again, while a deadlock is over as soon as one of the two is rolled back.
	 * @param failure what was thrown
	 * @return true for lock-wait timeouts alone
	 */
	public static boolean isLockWait(Throwable failure) {
		SQLException sql = sqlException(failure);
		return sql != null && (sql.getErrorCode() == 1205 || sql.getErrorCode() == 50200);
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
		if (find(failure, DataAccessResourceFailureException.class) != null
				|| find(failure, CannotCreateTransactionException.class) != null) {
			// No connection was to be had, whatever the pool's own exception says.
			return true;
		}
		SQLException sql = sqlException(failure);
		if (sql == null) {
			return false;
		}
		String state = sql.getSQLState();
		return OUTAGES.contains(sql.getErrorCode()) || (state != null && state.startsWith("08"))
				|| sql instanceof SQLNonTransientConnectionException || sql instanceof SQLTransientConnectionException
				|| sql instanceof SQLRecoverableException;
	}

	/**
	 * Whether a commit or rollback failed before it came to the server, since the pool
	 * had closed the connection. HikariCP does so when a connection breaks, and says
	 * "Connection is closed" from then on, with neither a state nor a code.
	 * @param failure what the end of a transaction has thrown
	 * @return true if the pool said so
	 */
	public static boolean isFromPool(TransactionException failure) {
		SQLException sql = sqlException(failure);
		return sql != null && sql.getClass() == SQLException.class && sql.getSQLState() == null
				&& sql.getErrorCode() == 0;
	}

	/**
	 * Whether a commit has certainly not taken place, although the server cannot be
	 * written to.
	 * @param failure what the commit has thrown
	 * @return true if the server said so
	 */
	public static boolean isRefusedCommit(Throwable failure) {
		SQLException sql = sqlException(failure);
		return sql != null && REFUSED_COMMITS.contains(sql.getErrorCode());
	}

	/**
	 * Whether a commit was refused by what may be the limit for one transaction. Group
	 * Replication has one, and says no more than that a hook has failed.
	 * @param failure what the commit has thrown
	 * @return true if less in one transaction might be taken
	 */
	public static boolean mayBeTooLarge(Throwable failure) {
		SQLException sql = sqlException(failure);
		return sql != null && sql.getErrorCode() == BEFORE_COMMIT_REFUSED;
	}

	/**
	 * Whether a statement that commits by itself has certainly not been carried out,
	 * although the server cannot be written to.
	 * @param failure what the statement has thrown
	 * @return true if the server said so
	 */
	public static boolean isRefused(Throwable failure) {
		SQLException sql = sqlException(failure);
		return sql != null && (isRefusedCommit(failure) || NOT_DONE.contains(sql.getErrorCode()));
	}

	/**
	 * Whether the values of a statement are what the database does not take, as a text
	 * that its character set lacks.
	 * @param failure what was thrown
	 * @return true if other values might be taken
	 */
	public static boolean isAboutData(Throwable failure) {
		SQLException sql = sqlException(failure);
		return find(failure, DataIntegrityViolationException.class) != null
				|| (sql != null && sql.getSQLState() != null && (sql.getSQLState().startsWith("22")
						|| sql.getErrorCode() == INCORRECT_STRING || sql.getErrorCode() == CHECK_VIOLATED));
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
