package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;

import io.jobqueue.NewJob;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Together;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Unique keys in a caller's transaction at REPEATABLE READ, which shows the database as
 * it was when it first looked.
 */
@ForEachDatabase
class UniqueKeySnapshotTests extends StoreTests {

	private static final NewJob JOB = NewJob.of("send-receipt", "first").uniqueKey("receipt-42");

	private static final NewJob SAME = NewJob.of("send-receipt", "second").uniqueKey("receipt-42");

	private static final StoreSettings NO_RETENTION = StoreSettings.DEFAULT.withUniqueKeyRetention(Duration.ZERO);

	/**
	 * A plain read in the caller's transaction finds nothing of the other's job.
	 */
	@Test
	void aKeyIsHeldByAJobThatTheCallersSnapshotIsTooOldToShow() {
		assertHeldByAJobThatTheSnapshotDoesNotShow();
	}

	@Test
	void withoutRetentionAKeyIsHeldByALiveJobThatTheCallersSnapshotIsTooOldToShow() {
		this.store = store(NO_RETENTION);
		assertHeldByAJobThatTheSnapshotDoesNotShow();
	}

	/**
	 * The snapshot shows a live job, but a key that has come free is free.
	 */
	@Test
	void withoutRetentionAKeyIsFreeWhenItsJobEndedAfterTheCallersSnapshot() {
		assumeFalse(this.testDatabase.isH2(), "H2 locks otherwise at this isolation");
		this.store = store(NO_RETENTION);
		Claim claim = claimed(JOB);
		TransactionTemplate transaction = transaction();
		transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		List<Long> ids = transaction.execute((status) -> {
			assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
			Together.elsewhere(() -> this.store.finish(List.of(new Finish.Ack(claim))));
			assertThat(this.rows.count("jobqueue_job")).as("the snapshot is old").isEqualTo(1);
			return List.of(enqueue(SAME), enqueue(JOB));
		});
		assertThat(ids.get(0)).isNotEqualTo(claim.id());
		assertThat(ids.get(1)).as("held by the caller's own job").isEqualTo(ids.get(0));
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	private void assertHeldByAJobThatTheSnapshotDoesNotShow() {
		assumeFalse(this.testDatabase.isH2(), "H2 locks otherwise at this isolation");
		TransactionTemplate transaction = transaction();
		transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		List<Long> ids = transaction.execute((status) -> {
			assertThat(this.rows.count("jobqueue_job")).isZero();
			Long others = Together.elsewhere(() -> enqueue(JOB));
			assertThat(this.rows.count("jobqueue_job")).as("the snapshot is old").isZero();
			return List.of(others, enqueue(SAME));
		});
		assertThat(ids.get(1)).isEqualTo(ids.get(0));
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

}
