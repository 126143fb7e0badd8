package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * A claim that is not current changes nothing, and its owner is told; an ack in the
 * handler's transaction shares that transaction's end.
 */
@ForEachDatabase
class StaleClaimTests extends StoreTests {

	static Stream<Named<Function<Claim, Finish>>> kinds() {
		return Stream.of(Named.of("ack", Finish.Ack::new),
				Named.of("retry", (claim) -> new Finish.Retry(claim, Duration.ofMinutes(1), failure())),
				Named.of("dead-letter", (claim) -> new Finish.DeadLetter(claim, failure())),
				Named.of("release", (claim) -> new Finish.Release(claim, Duration.ofMinutes(1))),
				Named.of("rescue", (claim) -> new Finish.Rescue(claim, failure())));
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void aClaimWithAnotherFenceIsStale(Function<Claim, Finish> kind) {
		Claim claim = claimed();
		assertStale(kind, new Claim(claim.id(), claim.fence() + 1, claim.session()));
		assertStale(kind, new Claim(claim.id(), claim.fence() - 1, claim.session()));
	}

	/** Fences start again where ids do. */
	@ParameterizedTest
	@MethodSource("kinds")
	void aClaimOfAnotherSessionIsStale(Function<Claim, Finish> kind) {
		Claim claim = claimed();
		assertStale(kind, new Claim(claim.id(), claim.fence(), claim.session() + 1));
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void aClaimOnACancelledJobIsStale(Function<Claim, Finish> kind) {
		Claim claim = claimed();
		assertThat(this.store.cancel(claim.id())).isTrue();
		assertStale(kind, claim);
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void aClaimIsStaleOnceItWasFinished(Function<Claim, Finish> kind) {
		Claim claim = claimed();
		assertThat(this.store.finish(List.of(kind.apply(claim)))).isEmpty();
		assertStale(kind, claim);
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void aClaimIsStaleWhenAnotherWorkerHasTheJob(Function<Claim, Finish> kind) {
		Claim claim = claimed();
		this.store.finish(List.of(new Finish.Release(claim, Duration.ZERO)));
		Claim other = claim(1).get(0).claim();
		assertThat(other.id()).isEqualTo(claim.id());
		assertStale(kind, claim);
		assertThat(this.store.finish(List.of(kind.apply(other)))).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void aClaimIsStaleAfterItsJobDiedAndWasRedriven(Function<Claim, Finish> kind) {
		Claim claim = claimed();
		this.store.finish(List.of(new Finish.DeadLetter(claim, failure())));
		assertThat(this.store.redrive(List.of(claim.id()))).isEqualTo(1);
		assertStale(kind, claim);
		assertThat(claim(1)).hasSize(1);
		assertStale(kind, claim);
	}

	private void assertStale(Function<Claim, Finish> kind, Claim claim) {
		var before = this.rows.all();
		assertThat(this.store.finish(List.of(kind.apply(claim)))).containsExactly(claim);
		assertThat(this.store.finish(List.of(kind.apply(claim)))).containsExactly(claim);
		assertThat(this.rows.all()).isEqualTo(before);
	}

	@Test
	void jobsThatAnotherTransactionHasLockedArePassedOver() throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "it waits for locks");
		enqueue(2);
		List<Claim> claims = claim(2).stream().map(ClaimedJob::claim).toList();
		try (Connection connection = schema().connect()) {
			connection.setAutoCommit(false);
			connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
			try (PreparedStatement lock = connection
				.prepareStatement("SELECT id FROM jobqueue_job WHERE id = ? FOR UPDATE")) {
				lock.setLong(1, claims.get(0).id());
				try (ResultSet row = lock.executeQuery()) {
					assertThat(row.next()).isTrue();
				}
			}
			assertThat(this.store.finish(claims.stream().map(Finish.Ack::new).toList())).containsExactly(claims.get(0));
			connection.rollback();
		}
		assertThat(this.rows.live(claims.get(0).id()).state()).isEqualTo(StateCode.RUNNING);
		assertThat(this.rows.isArchived(claims.get(1).id())).isTrue();
		assertThat(this.store.finish(List.of(new Finish.Ack(claims.get(0))))).isEmpty();
	}

	@Test
	void anAckInTheHandlersTransactionCommitsWithIt() {
		Claim claim = claimed();
		transaction().executeWithoutResult((status) -> {
			this.rows.sql("INSERT INTO jobqueue_queue (name) VALUES ('effect')").update();
			assertThat(this.store.ackInTransaction(claim, false)).isTrue();
		});
		assertThat(this.rows.archived(claim.id()).state()).isEqualTo(StateCode.of(JobState.SUCCEEDED));
		assertThat(this.rows.count("jobqueue_queue")).isEqualTo(1);
	}

	@Test
	void anAckInTheHandlersTransactionIsRolledBackWithIt() {
		Claim claim = claimed(NewJob.of("any", "x".repeat(5_000)));
		var before = this.rows.all();
		transaction().executeWithoutResult((status) -> {
			assertThat(this.store.ackInTransaction(claim, false)).isTrue();
			status.setRollbackOnly();
		});
		assertThat(this.rows.all()).isEqualTo(before);
		assertThat(this.store.finish(List.of(new Finish.Ack(claim)))).isEmpty();
	}

	@Test
	void aStaleAckInTheHandlersTransactionIsReported() {
		Claim claim = claimed();
		this.store.cancel(claim.id());
		var before = this.rows.all();
		transaction().executeWithoutResult((status) -> assertThat(this.store.ackInTransaction(claim, false)).isFalse());
		assertThat(this.rows.all()).isEqualTo(before);
	}

	@Test
	void anAckOfAnotherSessionInTheHandlersTransactionIsReported() {
		Claim claim = claimed();
		Claim other = new Claim(claim.id(), claim.fence(), claim.session() + 1);
		var before = this.rows.all();
		transaction().executeWithoutResult((status) -> assertThat(this.store.ackInTransaction(other, false)).isFalse());
		assertThat(this.rows.all()).isEqualTo(before);
	}

	@Test
	void anAckInTheHandlersTransactionNeedsOne() {
		Claim claim = claimed();
		assertThatIllegalStateException().isThrownBy(() -> this.store.ackInTransaction(claim, false))
			.withMessageContaining("No transaction is open on the job queue's DataSource");
		assertThat(this.rows.live(claim.id()).state()).isEqualTo(StateCode.RUNNING);
	}

	@Test
	void anAckInTheHandlersTransactionNeedsOneOfTheQueuesDataSource() {
		Claim claim = claimed();
		TransactionTemplate foreign = transaction(schema().pool(""));
		assertThatIllegalStateException()
			.isThrownBy(() -> foreign.executeWithoutResult((status) -> this.store.ackInTransaction(claim, false)));
		assertThat(this.rows.live(claim.id()).state()).isEqualTo(StateCode.RUNNING);
	}

	/**
	 * Spring binds the connection of any statement to a transaction that is open, even if
	 * that is on another DataSource.
	 */
	@Test
	void anAckInATransactionOfAnotherDataSourceIsRefusedAlsoAfterThatHasReadFromTheQueue() {
		Claim claim = claimed();
		TransactionTemplate foreign = transaction(schema().pool(""));
		assertThatIllegalStateException().isThrownBy(() -> foreign.executeWithoutResult((status) -> {
			this.store.find(claim.id());
			this.store.ackInTransaction(claim, false);
		}));
		assertThat(this.rows.live(claim.id()).state()).isEqualTo(StateCode.RUNNING);
	}

}
