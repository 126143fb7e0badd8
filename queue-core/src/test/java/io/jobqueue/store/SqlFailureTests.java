package io.jobqueue.store;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;

import io.jobqueue.UnknownOutcomeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.UncategorizedDataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a failure means, by the codes of the servers and the exceptions of the pools.
 */
class SqlFailureTests {

	private static RuntimeException failure(int code) {
		return new UncategorizedDataAccessException("for a test", new SQLException("any", "HY000", code)) {
		};
	}

	@ParameterizedTest
	@ValueSource(ints = { 1205, 1213, 1020, 3101, 3572 })
	void aConflictMayBeRepeated(int code) {
		assertThat(SqlFailure.isConflict(failure(code))).isTrue();
		assertThat(SqlFailure.isOutage(failure(code))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(
			ints = { 1040, 1203, 1226, 1129, 1021, 1114, 1053, 1180, 1290, 1836, 1927, 3032, 3100, 4031, 2003, 9001 })
	void aServerThatCannotBeWrittenToIsAnOutage(int code) {
		assertThat(SqlFailure.isOutage(failure(code))).isTrue();
		assertThat(SqlFailure.isConflict(failure(code))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1064, 1146, 1366, 1406, 1062 })
	void aStatementThatIsWrongIsNeither(int code) {
		assertThat(SqlFailure.isOutage(failure(code))).isFalse();
		assertThat(SqlFailure.isConflict(failure(code))).isFalse();
	}

	/** Pools have exceptions of their own, some without a code or state. */
	/**
	 * What Spring throws when a commit's connection was lost and the rollback fails too.
	 */
	@Test
	void aConnectionThatThePoolHasClosedIsKnown() {
		assertThat(SqlFailure.isFromPool(rollbackFailed(new SQLException("Connection is closed")))).isTrue();
		assertThat(SqlFailure.isFromPool(rollbackFailed(new SQLException("no", "HY000", 1114)))).isFalse();
		assertThat(SqlFailure.isFromPool(rollbackFailed(new SQLTimeoutException("too slow")))).isFalse();
	}

	private static TransactionSystemException rollbackFailed(SQLException cause) {
		return new TransactionSystemException("JDBC rollback failed", cause);
	}

	@Test
	void noConnectionIsAnOutageWhateverThePoolSays() {
		assertThat(SqlFailure.isOutage(new CannotGetJdbcConnectionException("any", new SQLException("Pool empty"))))
			.isTrue();
		assertThat(SqlFailure.isOutage(new CannotCreateTransactionException("any", new SQLException("Pool empty"))))
			.isTrue();
		assertThat(SqlFailure.isOutage(new SQLTransientConnectionException("Connection is not available"))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1290, 1836, 3100 })
	void aCommitThatTheServerRefusedHasNotTakenPlace(int code) {
		assertThat(SqlFailure.isRefusedCommit(failure(code))).isTrue();
	}

	@Test
	void aCommitWhoseAnswerWasLostMayHaveTakenPlace() {
		assertThat(SqlFailure.isRefusedCommit(new UnknownOutcomeException("any", failure(1180)))).isFalse();
		assertThat(SqlFailure.isRefusedCommit(failure(0))).isFalse();
	}

	@Test
	void aTextThatIsRefusedIsAboutData() {
		assertThat(SqlFailure.isAboutData(failure(1366))).isTrue();
		assertThat(SqlFailure.isAboutData(new DataIntegrityViolationException("any"))).isTrue();
		assertThat(SqlFailure.isAboutData(failure(1114))).isFalse();
		assertThat(SqlFailure.isAboutData(failure(1317))).isFalse();
	}

}
