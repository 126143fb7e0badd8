package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.Thorough;
import io.jobqueue.test.Together;
import io.jobqueue.test.WatchedDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The queue's own transactions, beside those of the caller.
 */
@ForEachDatabase
class TransactionsTests extends StoreTests {

	/**
	 * JPA's transaction manager binds the connection of its transaction without the marks
	 * that JDBC's leaves, so that REQUIRES_NEW alone would take it over, and commit it.
	 */
	@Test
	void theQueuesOwnTransactionsAreApartFromOneThatJpaHasOpen() throws SQLException {
		long id = enqueue(NewJob.of("any"));
		try (Connection connection = dataSource().getConnection()) {
			connection.setAutoCommit(false);
			TransactionSynchronizationManager.bindResource(dataSource(), new ConnectionHolder(connection));
			TransactionSynchronizationManager.initSynchronization();
			TransactionSynchronizationManager.setActualTransactionActive(true);
			try {
				enqueue(NewJob.of("rolled-back"));
				assertThat(this.store.cancel(id)).isTrue();
				connection.rollback();
			}
			finally {
				TransactionSynchronizationManager.clear();
				TransactionSynchronizationManager.unbindResource(dataSource());
				connection.setAutoCommit(true);
			}
		}
		assertThat(this.rows.count("jobqueue_job")).isZero();
		assertThat(this.rows.count("jobqueue_archive")).isEqualTo(1);
	}

	@Test
	void cancellingWhatTheCallerHasNotYetCommittedFailsSoon() {
		Thorough.unlessOnMySql(this.testDatabase);
		transaction().executeWithoutResult((status) -> {
			long id = enqueue(NewJob.of("any"));
			if (this.testDatabase.isH2()) {
				assertThat(this.store.cancel(id)).isFalse();
			}
			else {
				assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> this.store.cancel(id));
			}
		});
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	/**
	 * As after a failover, when the old primary still answers and refuses every write.
	 */
	@Test
	void aConnectionToAServerThatHasBecomeReadOnlyIsNotUsedAgain() {
		assumeTrue(this.testDatabase == TestDatabase.MYSQL);
		HikariDataSource pool = schema().pool((settings) -> settings.setMaximumPoolSize(1));
		JdbcTemplate sql = new JdbcTemplate(pool);
		JdbcJobStore store = new JdbcJobStore(new Database(pool), StoreSettings.DEFAULT);
		long before = sql.queryForObject("SELECT CONNECTION_ID()", Long.class);
		whileReadOnly(() -> assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> store.enqueue(List.of(text(NewJob.of("any"))))));
		assertThat(sql.queryForObject("SELECT CONNECTION_ID()", Long.class)).isNotEqualTo(before);
		assertThat(store.enqueue(List.of(text(NewJob.of("any")))).ids()).hasSize(1);
	}

	/**
	 * What docs/reliability.md advises for the statements of handlers.
	 */
	@Test
	void aPoolCanBeToldNotToUseAConnectionOfAHandlerAgainEither() {
		assumeTrue(this.testDatabase == TestDatabase.MYSQL);
		HikariDataSource pool = schema().pool((settings) -> {
			settings.setMaximumPoolSize(1);
			settings.setExceptionOverrideClassName(ReadOnlyServers.class.getName());
		});
		JdbcTemplate sql = new JdbcTemplate(pool);
		long before = sql.queryForObject("SELECT CONNECTION_ID()", Long.class);
		whileReadOnly(() -> assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> sql.update("DELETE FROM jobqueue_job")));
		assertThat(sql.queryForObject("SELECT CONNECTION_ID()", Long.class)).isNotEqualTo(before);
	}

	private void whileReadOnly(Runnable action) {
		JdbcTemplate admin = new JdbcTemplate(dataSource());
		admin.execute("SET GLOBAL super_read_only = ON");
		try {
			action.run();
		}
		finally {
			admin.execute("SET GLOBAL super_read_only = OFF");
			admin.execute("SET GLOBAL read_only = OFF");
		}
	}

	@Test
	void aTransactionThatWaitedTooLongForALockIsRepeatedAsAWhole() throws Exception {
		assumeTrue(!this.testDatabase.isH2());
		NewJob job = NewJob.of("any").uniqueKey("key");
		long id = enqueue(job);
		Database database = new Database(schema().pool("sessionVariables=innodb_lock_wait_timeout=1"));
		JdbcJobStore store = new JdbcJobStore(database, StoreSettings.DEFAULT);
		LockHolder holder = new LockHolder(schema());
		holder.lockKeys(List.of("key"));
		List<Long> ids = Together.run(2, (thread) -> {
			if (thread == 0) {
				return store.enqueue(List.of(text(NewJob.of("any")), text(job))).ids().get(1);
			}
			try (holder) {
				Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> database.transactions().conflicts() > 0);
			}
			return id;
		});
		assertThat(ids).containsExactly(id, id);
		assertThat(this.rows.count("jobqueue_job")).as("the other job of that call once").isEqualTo(2);
	}

	@Test
	void afterATransactionWithShortWaitsTheConnectionWaitsAsBefore() {
		assumeTrue(!this.testDatabase.isH2());
		HikariDataSource pool = schema().pool((settings) -> {
			settings.setMaximumPoolSize(1);
			settings.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 33");
		});
		Database database = new Database(pool);
		assertThat(database.transactions().run(LockWaits.SHORT, () -> lockWait(database))).isEqualTo(1);
		assertThat(lockWait(database)).isEqualTo(33);
		assertThatIllegalStateException().isThrownBy(() -> database.transactions().run(LockWaits.SHORT, () -> {
			throw new IllegalStateException("for a test");
		}));
		assertThat(lockWait(database)).isEqualTo(33);
		assertThat(database.transactions().run(LockWaits.USUAL, () -> lockWait(database))).isEqualTo(33);
	}

	@Test
	void aConnectionWhoseWaitsMayHaveChangedIsNotUsedAgain() {
		assumeTrue(!this.testDatabase.isH2());
		HikariDataSource pool = schema().pool((settings) -> {
			settings.setMaximumPoolSize(1);
			settings.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 33");
		});
		AtomicInteger statements = new AtomicInteger();
		WatchedDataSource watched = new WatchedDataSource(pool);
		watched.beforePlainStatement((sql) -> {
			if (sql.startsWith("SET SESSION innodb_lock_wait_timeout") && statements.incrementAndGet() == 2) {
				throw new OutOfMemoryError("for a test");
			}
		});
		Database database = new Database(watched);
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> database.transactions().run(LockWaits.SHORT, () -> lockWait(database)));
		assertThat(statements).hasValue(2);
		assertThat(lockWait(database)).isEqualTo(33);
	}

	private static int lockWait(Database database) {
		return database.template().queryForObject("SELECT @@SESSION.innodb_lock_wait_timeout", Integer.class);
	}

	@Test
	void aTransactionThatHasWaitedLongForALockIsNotRepeated() throws Exception {
		Thorough.unlessOnMySql(this.testDatabase);
		assumeTrue(!this.testDatabase.isH2());
		NewJob job = NewJob.of("any").uniqueKey("key");
		enqueue(job);
		Database database = new Database(schema().pool("sessionVariables=innodb_lock_wait_timeout=6"));
		JdbcJobStore store = new JdbcJobStore(database, StoreSettings.DEFAULT);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lockKeys(List.of("key"));
			assertThatExceptionOfType(CannotAcquireLockException.class)
				.isThrownBy(() -> store.enqueue(List.of(text(job))));
		}
		assertThat(database.transactions().conflicts()).as("repetitions").isZero();
	}

	public static class ReadOnlyServers implements SQLExceptionOverride {

		@java.lang.Override
		public Override adjudicate(SQLException ex) {
			return (ex.getErrorCode() == 1290 || ex.getErrorCode() == 1836) ? Override.MUST_EVICT
					: Override.CONTINUE_EVICT;
		}

	}

}
