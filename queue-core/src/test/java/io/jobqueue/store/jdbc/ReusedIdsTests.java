package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.maintenance.KeepIdsUnique;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Pruning;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What holds after somebody has emptied the table of live jobs such that ids start again,
 * or has restored it alone.
 */
@ForEachDatabase
class ReusedIdsTests extends StoreTests {

	private static final String LARGE = "x".repeat(5_000);

	/** Ids start again. */
	private void truncate() {
		this.database.template()
			.execute(this.testDatabase.isH2() ? "TRUNCATE TABLE jobqueue_job RESTART IDENTITY"
					: "TRUNCATE TABLE jobqueue_job");
	}

	private void assertThatNoJobIsLost(long reused, String newPayload, String oldPayload) {
		Job mine = this.store.find(reused).orElseThrow();
		assertThat(mine.payload()).isEqualTo(newPayload);
		List<Long> others = this.rows.sql("SELECT id FROM jobqueue_archive WHERE id <> :id")
			.param("id", reused)
			.query(Long.class)
			.list();
		assertThat(others).hasSize(1);
		Job other = this.store.find(others.get(0)).orElseThrow();
		assertThat(other.state()).isEqualTo(JobState.DEAD);
		assertThat(other.payload()).isEqualTo(oldPayload);
		assertThat(other.lastError()).isPresent();
		assertThat(this.store.redrive(others)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aResultHasItsPlace(boolean large) {
		truncate();
		long old = dead(NewJob.of("any", "old" + LARGE));
		truncate();
		Claim claim = claimed(NewJob.of("any", large ? "new" + LARGE : "new"));
		assertThat(claim.id()).isEqualTo(old);
		assertThat(this.store.finish(List.of(new Finish.Ack(claim)))).isEmpty();
		assertThat(this.store.find(old).orElseThrow().state()).isEqualTo(JobState.SUCCEEDED);
		assertThatNoJobIsLost(old, large ? "new" + LARGE : "new", "old" + LARGE);
	}

	@Test
	void anAckInTheHandlersTransactionHasItsPlace() {
		truncate();
		long old = dead(NewJob.of("any", "old"));
		truncate();
		Claim claim = claimed(NewJob.of("any", "new"));
		assertThat(claim.id()).isEqualTo(old);
		assertThat(inTransaction(() -> this.store.ackInTransaction(claim, false))).isTrue();
		assertThatNoJobIsLost(old, "new", "old");
	}

	/** What the handler has read before is as old as its first read. */
	@Test
	void anAckHasItsPlaceWhateverWasEnqueuedSinceTheHandlersFirstRead() {
		truncate();
		long old = dead(NewJob.of("any", "old"));
		truncate();
		Claim claim = claimed(NewJob.of("any", "new"));
		TransactionTemplate transaction = transaction();
		transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		transaction.executeWithoutResult((status) -> {
			this.rows.count("jobqueue_job");
			CompletableFuture.runAsync(() -> enqueue(20)).join();
			assertThat(this.store.ackInTransaction(claim, false)).isTrue();
		});
		assertThatNoJobIsLost(old, "new", "old");
	}

	@Test
	void anErrorHasItsPlace() {
		truncate();
		long old = dead(NewJob.of("any", "old"));
		truncate();
		Claim claim = claimed(NewJob.of("any", "new"));
		assertThat(claim.id()).isEqualTo(old);
		assertThat(this.store.finish(List.of(new Finish.Retry(claim, Duration.ZERO, failure())))).isEmpty();
		assertThat(this.store.find(old).orElseThrow().state()).isEqualTo(JobState.READY);
		assertThat(this.rows.errors(old)).hasSize(1);
		assertThatNoJobIsLost(old, "new", "old");
	}

	/**
	 * What belonged to live jobs that are gone belongs to nobody.
	 */
	@Test
	void whatIsLeftOfJobsThatAreGoneGivesWay() {
		truncate();
		Claim gone = claimed(NewJob.of("any", "old" + LARGE));
		this.store.finish(List.of(new Finish.Retry(gone, Duration.ofDays(1), failure())));
		truncate();
		Claim claim = claimed(NewJob.of("any", "new" + LARGE));
		assertThat(claim.id()).isEqualTo(gone.id());
		assertThat(this.store.finish(List.of(new Finish.DeadLetter(claim, failure())))).isEmpty();
		assertThat(this.store.find(claim.id()).orElseThrow().payload()).isEqualTo("new" + LARGE);
	}

	@Test
	void pruningAnOldJobLeavesThePayloadOfALiveOne() {
		truncate();
		long old = dead(NewJob.of("any", "old"));
		truncate();
		assertThat(enqueue(NewJob.of("any", "new" + LARGE))).isEqualTo(old);
		assertThat(Pruning.prune(this.store, JobState.DEAD, Duration.ofDays(-1), 10)).isEqualTo(1);
		assertThat(this.rows.count("jobqueue_archive")).isZero();
		assertThat(this.store.payload(old)).isEqualTo("new" + LARGE);
	}

	@Test
	void aDeadJobIsRedrivenUnderANewIdIfItsOwnIsTaken() {
		truncate();
		long old = dead(NewJob.of("any", "old"));
		truncate();
		assertThat(enqueue(NewJob.of("any", "new"))).isEqualTo(old);
		assertThat(this.store.redrive(List.of(old))).isEqualTo(1);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(2);
		assertThat(this.rows.count("jobqueue_archive")).isZero();
		assertThat(this.store.find(old).orElseThrow().payload()).isEqualTo("new");
	}

	@Test
	void aUniqueKeyIsNotHeldByAStranger() {
		truncate();
		long gone = enqueue(NewJob.of("any").uniqueKey("key"));
		truncate();
		long stranger = enqueue(NewJob.of("any"));
		assertThat(stranger).isEqualTo(gone);
		long again = enqueue(NewJob.of("any").uniqueKey("key"));
		assertThat(again).isNotEqualTo(stranger);
		assertThat(enqueue(NewJob.of("any").uniqueKey("key"))).isEqualTo(again);
	}

	@Test
	void aUniqueKeyIsHeldByItsJobUnderItsNewId() {
		truncate();
		long old = succeeded(NewJob.of("any", "old").uniqueKey("key"));
		truncate();
		long stranger = enqueue(NewJob.of("any", "new"));
		assertThat(stranger).isEqualTo(old);
		long holder = enqueue(NewJob.of("any", "again").uniqueKey("key"));
		assertThat(holder).isNotEqualTo(stranger);
		assertThat(this.store.find(holder).orElseThrow().payload()).isEqualTo("old");
		assertThat(enqueue(NewJob.of("any").uniqueKey("key"))).isEqualTo(holder);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	@Test
	void idsGoOnBehindThoseOfArchivedJobs() {
		assumeFalse(this.testDatabase.isH2(), "H2 has its own counter, which a given id does not move");
		List<Long> ids = enqueue(5);
		claim(5).forEach((job) -> this.store.finish(List.of(new Finish.Ack(job.claim()))));
		truncate();
		KeepIdsUnique chore = new KeepIdsUnique(this.store, Duration.ofSeconds(1));
		chore.runOnce();
		assertThat(enqueue(NewJob.of("any"))).isGreaterThan(ids.get(4));
		assertThat(chore.problem()).isEmpty();
	}

	@Test
	void idsThatAreUsedUpAreToldOf() {
		assumeFalse(this.testDatabase.isH2(), "H2 has its own counter, which a given id does not move");
		KeepIdsUnique chore = new KeepIdsUnique(this.store, Duration.ofSeconds(1));
		this.rows.sql("INSERT INTO jobqueue_job (id, type) VALUES (:id, 'any')").param("id", Long.MAX_VALUE).update();
		chore.runOnce();
		assertThat(chore.problem()).contains("only 0 ids left");
		this.rows.sql("DELETE FROM jobqueue_job").update();
		truncate();
		chore.runOnce();
		assertThat(chore.problem()).isEmpty();
	}

}
