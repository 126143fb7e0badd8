package io.jobqueue.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What becomes of a unique key when its job has ended, and when that is redriven.
 */
@ForEachDatabase
class UniqueKeyAndItsEndedJobTests extends StoreTests {

	private static final NewJob JOB = NewJob.of("any", "first").uniqueKey("key");

	static Stream<Finish> everyEnd() {
		Claim none = new Claim(0, 0, 0);
		return Stream.of(new Finish.Ack(none), new Finish.DeadLetter(none, failure()),
				new Finish.Retry(none, Duration.ZERO, failure()), new Finish.Release(none, Duration.ZERO),
				new Finish.Rescue(none, failure()));
	}

	private static Finish of(Finish kind, Claim claim) {
		if (kind instanceof Finish.Ack) {
			return new Finish.Ack(claim);
		}
		if (kind instanceof Finish.DeadLetter) {
			return new Finish.DeadLetter(claim, failure());
		}
		if (kind instanceof Finish.Retry) {
			return new Finish.Retry(claim, Duration.ZERO, failure());
		}
		return (kind instanceof Finish.Release) ? new Finish.Release(claim, Duration.ZERO)
				: new Finish.Rescue(claim, failure());
	}

	/**
	 * Somebody who enqueues the same key holds it locked until his transaction ends,
	 * which may be long.
	 */
	@ParameterizedTest
	@MethodSource("everyEnd")
	void finishingDoesNotWaitForItsKey(Finish kind) throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "its tables are locked otherwise");
		Claim claim = claimed(JOB);
		Database impatient = new Database(schema().pool("sessionVariables=innodb_lock_wait_timeout=1"));
		JdbcJobStore others = new JdbcJobStore(impatient, StoreSettings.DEFAULT);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lockKeys(List.of("key"));
			assertThat(others.finish(List.of(of(kind, claim)))).isEmpty();
		}
		assertThat(impatient.transactions().conflicts()).isZero();
	}

	@Test
	void aRedrivenJobStillHoldsItsKey() {
		long id = dead(JOB);
		assertThat(this.store.redrive(List.of(id))).isEqualTo(1);
		assertThat(enqueue(JOB)).isEqualTo(id);
		letTheKeyExpire();
		assertThat(this.store.pruneUniqueKeys(null, 100).changed()).as("keys of live jobs are kept").isZero();
		assertThat(enqueue(JOB)).isEqualTo(id);
	}

	@Test
	void redriveTakesNoKeyBackThatAnotherJobHasTaken() {
		long first = dead(JOB);
		letTheKeyExpire();
		long second = enqueue(JOB);
		assertThat(second).isNotEqualTo(first);
		assertThat(this.store.redrive(List.of(first))).isEqualTo(1);
		assertThat(this.store.find(first).orElseThrow().state()).isEqualTo(JobState.READY);
		assertThat(this.store.find(second).orElseThrow().state()).isEqualTo(JobState.READY);
		assertThat(enqueue(JOB)).isEqualTo(second);
	}

	@Test
	void redriveTakesNoKeyBackThatWasPruned() {
		long first = dead(JOB);
		letTheKeyExpire();
		assertThat(this.store.pruneUniqueKeys(null, 100).changed()).isEqualTo(1);
		assertThat(this.store.redrive(List.of(first))).isEqualTo(1);
		assertThat(enqueue(JOB)).isNotEqualTo(first);
	}

	private void letTheKeyExpire() {
		this.rows.sql("UPDATE jobqueue_unique_key SET expires_at = TIMESTAMPADD(SECOND, -1, {now})").update();
	}

}
