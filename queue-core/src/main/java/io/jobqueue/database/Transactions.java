package io.jobqueue.database;

import java.sql.Connection;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.SqlFailure;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * The queue's own transactions: short, at READ COMMITTED whatever the pool's default is,
 * apart from any transaction of the caller's, and repeated as a whole after a conflict.
 */
public final class Transactions {

	private static final ConflictRepeats NO_REPEATS = ConflictRepeats.none();

	private final DataSource dataSource;

	private final ShortLockWaits shortLockWaits;

	private final SeparateStatements separate;

	private final PlatformTransactionManager transactionManager;

	private final ConflictRepeats repeats;

	private final DefaultTransactionDefinition definition = new DefaultTransactionDefinition(
			TransactionDefinition.PROPAGATION_REQUIRES_NEW);

	/**
	 * Creates the transactions.
	 * @param dataSource a DataSource of the queue's own, so that what the caller has
	 * bound to the thread is not taken for a connection of these
	 * @param dialect the dialect
	 */
	Transactions(DataSource dataSource, Dialect dialect) {
		this(dataSource, dialect, new QueueTransactionManager(dataSource, dialect.can(Capability.SET_ISOLATION_ONCE)),
				ConflictRepeats.usual());
	}

	private Transactions(DataSource dataSource, Dialect dialect, PlatformTransactionManager transactionManager,
			ConflictRepeats repeats) {
		this.dataSource = dataSource;
		this.shortLockWaits = new ShortLockWaits(dataSource, dialect, this::abandonConnection);
		this.separate = new SeparateStatements(dataSource, dialect.can(Capability.SET_ISOLATION_ONCE));
		this.transactionManager = transactionManager;
		this.repeats = repeats;
		if (!dialect.can(Capability.SET_ISOLATION_ONCE)) {
			this.definition.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		}
	}

	/**
	 * The same for tests, inside whose transactions these are savepoints. None of those
	 * is repeated: who has locked what they need is the test, or waits for the test's
	 * locks.
	 * @param own the DataSource of the queue's own
	 * @param callers the DataSource of the test's transaction
	 * @param dialect the dialect
	 * @param inside whether this thread's transaction is that of a test
	 */
	static Transactions inside(DataSource own, DataSource callers, Dialect dialect, BooleanSupplier inside) {
		PlatformTransactionManager manager = new QueueTransactionManager(own,
				dialect.can(Capability.SET_ISOLATION_ONCE));
		return new Transactions(own, dialect,
				new InsideTransactionManager(manager, new SavepointTransactionManager(callers), inside),
				ConflictRepeats.usual());
	}

	/**
	 * Whether they are savepoints of the transaction that this thread has open.
	 */
	public boolean areSavepoints() {
		return this.transactionManager instanceof InsideTransactionManager tests && tests.isInside();
	}

	private ConflictRepeats repeats() {
		return areSavepoints() ? NO_REPEATS : this.repeats;
	}

	/**
	 * Runs some work in a transaction of its own.
	 * @param <T> what it returns
	 * @param work the work; run again from the start after a conflict
	 * @return what the work returned, committed
	 * @throws UnknownOutcomeException if the connection was lost during the commit
	 */
	public <T> T run(Supplier<T> work) {
		return run(LockWaits.USUAL, work);
	}

	/**
	 * The same.
	 * @param <T> what it returns
	 * @param waits how long it waits for locks; if shortly, it is not repeated after
	 * that, unless it is to be patient
	 * @param work the work
	 * @return what the work returned, committed
	 */
	public <T> T run(LockWaits waits, Supplier<T> work) {
		return (waits == LockWaits.USUAL) ? repeats().run(() -> runOnce(work), true)
				: repeats().run(() -> runOnce(() -> this.shortLockWaits.during(work)), waits == LockWaits.PATIENT);
	}

	/**
	 * Runs some work of which one statement only writes, and that statement commits by
	 * itself: one round trip to the server where a transaction needs five. What is read
	 * after it is read on the same connection.
	 * @param <T> what it returns
	 * @param work the work; run again from the start after a conflict
	 * @return what the work returned, committed
	 * @throws UnknownOutcomeException if the connection was lost during the work
	 */
	public <T> T runOneStatement(Supplier<T> work) {
		return repeats().run(() -> this.separate.run(work, () -> runOnce(work)), true);
	}

	/**
	 * Runs statements of which each commits by itself, all on one connection, which waits
	 * shortly for locks. What has committed stays so if a later one fails; nothing is
	 * repeated.
	 * @param <T> what it returns
	 * @param work the statements
	 * @return what the work returned; empty if statements do not commit by themselves,
	 * and nothing was done
	 * @throws UnknownOutcomeException if the connection was lost during the work
	 */
	public <T> Optional<T> runSeparately(Supplier<T> work) {
		return this.separate.run(() -> Optional.of(this.shortLockWaits.during(work)), Optional::empty);
	}

	/**
	 * Has the next statement, if it commits by itself, read and lock no more than its own
	 * rows, as at READ COMMITTED, whatever the pool's default is.
	 */
	public void statementAlone() {
		this.separate.readCommitted();
	}

	/**
	 * How often a transaction was repeated after a conflict.
	 * @return the count since the start
	 */
	public long conflicts() {
		return this.repeats.conflicts();
	}

	private <T> T runOnce(Supplier<T> work) {
		TransactionStatus transaction = begin();
		T result;
		try {
			result = work.get();
		}
		catch (RuntimeException | Error ex) {
			rollback(transaction, ex);
			throw ex;
		}
		commit(transaction);
		return result;
	}

	/**
	 * Callers get a {@code DataAccessException}, whatever the database fails at.
	 */
	private TransactionStatus begin() {
		try {
			return this.transactionManager.getTransaction(this.definition);
		}
		catch (CannotCreateTransactionException ex) {
			throw new DataAccessResourceFailureException("A transaction of the job queue's own could not begin", ex);
		}
	}

	private void commit(TransactionStatus transaction) {
		try {
			this.transactionManager.commit(transaction);
		}
		catch (QueueTransactionManager.FailedCommit ex) {
			RuntimeException reason = ex.reason();
			if (SqlFailure.isOutage(reason) && !SqlFailure.isRefusedCommit(reason)) {
				throw new UnknownOutcomeException("The connection was lost during a commit", reason);
			}
			throw reason;
		}
	}

	private void rollback(TransactionStatus transaction, Throwable cause) {
		try {
			if (SqlFailure.isWrongServer(cause)) {
				abandonConnection();
			}
			this.transactionManager.rollback(transaction);
		}
		catch (RuntimeException ex) {
			cause.addSuppressed(ex);
		}
	}

	/**
	 * After a failover, connections to the old primary still look valid to the pool. One
	 * that is closed for good does not.
	 */
	private void abandonConnection() {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			QueueTransactionManager.abort(connection);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

}
