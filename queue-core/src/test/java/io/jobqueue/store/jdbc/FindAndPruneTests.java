package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;

import io.jobqueue.Job;
import io.jobqueue.JobError;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.jdbc.Rows.ArchivedRow;
import io.jobqueue.store.jdbc.Rows.LiveRow;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Pruning;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

@ForEachDatabase
class FindAndPruneTests extends StoreTests {

	@Test
	void aReadyJobIsFound() {
		long id = enqueue(NewJob.of("send-receipt", "{}").queue("mail").priority(7).maxAttempts(3));
		LiveRow row = this.rows.live(id);
		assertThat(this.store.find(id)).contains(new Job(id, "send-receipt", "mail", JobState.READY, 7, 0, 3, 0, "{}",
				row.enqueuedAt().toInstant(ZoneOffset.UTC), row.availableAt().toInstant(ZoneOffset.UTC), null, null,
				null, null, null, null, null, null));
		assertThat(this.store.find(id).orElseThrow().lastError()).isEmpty();
	}

	@Test
	void aRunningJobIsFound() {
		Claim claim = claimed(NewJob.of("any", "x".repeat(5_000)));
		LiveRow row = this.rows.live(claim.id());
		Job job = this.store.find(claim.id()).orElseThrow();
		assertThat(job.state()).isEqualTo(JobState.RUNNING);
		assertThat(job.attempt()).isEqualTo(1);
		assertThat(job.claimedAt()).isEqualTo(row.claimedAt().toInstant(ZoneOffset.UTC));
		assertThat(job.finishedAt()).isNull();
		assertThat(job.payload()).isEqualTo("x".repeat(5_000));
	}

	@Test
	void aSuspectIsFoundAsReady() {
		Claim claim = claimed();
		this.store.finish(List.of(new Finish.Rescue(claim, Failure.of(1, "crash", "Its worker died"))));
		Job job = this.store.find(claim.id()).orElseThrow();
		assertThat(job.state()).isEqualTo(JobState.READY);
		assertThat(job.crashes()).isEqualTo(1);
		assertThat(job.lastError().orElseThrow().type()).isEqualTo("crash");
	}

	@Test
	void anArchivedJobIsFound() {
		long id = succeeded(NewJob.of("any", "x".repeat(5_000)));
		ArchivedRow row = this.rows.archived(id);
		assertThat(this.store.find(id)).contains(new Job(id, "any", "default", JobState.SUCCEEDED, 4, 1, 0, 0,
				"x".repeat(5_000), row.enqueuedAt().toInstant(ZoneOffset.UTC),
				row.availableAt().toInstant(ZoneOffset.UTC), row.claimedAt().toInstant(ZoneOffset.UTC),
				row.finishedAt().toInstant(ZoneOffset.UTC), null, null, null, null, null, null));
	}

	@Test
	void aJobCancelledBeforeItsFirstClaimHasNoClaimTime() {
		long id = enqueue(NewJob.of("any"));
		this.store.cancel(id);
		Job job = this.store.find(id).orElseThrow();
		assertThat(job.state()).isEqualTo(JobState.CANCELLED);
		assertThat(job.claimedAt()).isNull();
		assertThat(job.finishedAt()).isNotNull();
	}

	@Test
	void aJobIsFoundWithTheErrorOfItsLastFailedAttempt() {
		Claim first = claimed();
		this.store.finish(List.of(new Finish.Retry(first, Duration.ZERO, Failure.of(1, "first", "one"))));
		assertThat(lastError(first.id())).extracting(JobError::type).isEqualTo("first");
		Claim second = claim(1).get(0).claim();
		this.store.finish(List.of(new Finish.Retry(second, Duration.ZERO, new Failure(2, "second", "two", "stack"))));
		Claim third = claim(1).get(0).claim();
		this.store.finish(List.of(new Finish.Ack(third)));
		JobError error = lastError(first.id());
		assertThat(error).isEqualTo(new JobError(2, error.failedAt(), "second", "two", "stack"));
		Job job = this.store.find(first.id()).orElseThrow();
		assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
		assertThat(error.failedAt()).isBetween(job.enqueuedAt(), job.finishedAt());
	}

	private JobError lastError(long id) {
		return this.store.find(id).orElseThrow().lastError().orElseThrow();
	}

	@Test
	void aJobThatNeverExistedIsNotFound() {
		assertThat(this.store.find(-1)).isEmpty();
		assertThat(this.store.find(Long.MAX_VALUE)).isEmpty();
	}

	@Test
	void aJobIsFoundInTheTransactionThatEnqueuesIt() {
		inTransaction(() -> {
			long id = enqueue(NewJob.of("any", "payload"));
			assertThat(this.store.find(id).orElseThrow().payload()).isEqualTo("payload");
			return id;
		});
	}

	@Test
	void aJobOnItsWayToTheArchiveIsFoundOnceAtReadUncommitted() throws SQLException {
		Claim claim = claimed();
		try (Connection other = schema().connect(); Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.executeUpdate("""
					INSERT INTO jobqueue_archive
					    (id, state, finished_at, queue, type, priority, available_at, fence, attempt, max_attempts,
					     timeout_ms, crashes, session_id, claimed_at, enqueued_at, large_payload, payload)
					SELECT id, 3, available_at, queue, type, priority, available_at, fence, attempt, max_attempts,
					     timeout_ms, crashes, session_id, claimed_at, enqueued_at, large_payload, payload
					FROM jobqueue_job WHERE id = %d""".formatted(claim.id()));
			TransactionTemplate dirty = transaction();
			dirty.setIsolationLevel(TransactionDefinition.ISOLATION_READ_UNCOMMITTED);
			dirty.executeWithoutResult((status) -> {
				assertThat(this.rows.isArchived(claim.id())).as("is to be seen").isTrue();
				assertThat(this.store.find(claim.id()).orElseThrow().state()).isEqualTo(JobState.RUNNING);
			});
			other.rollback();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SUCCEEDED", "DEAD", "CANCELLED", "EXPIRED" })
	void jobsOfAStateArePrunedByTheirAgeWithAllThatIsTheirs(JobState state) {
		List<Long> ids = List.of(archived(), archived(), archived());
		ids.forEach((id) -> this.rows.setArchived(id, "state = " + StateCode.of(state)));
		this.rows.setArchived(ids.get(0), "finished_at = TIMESTAMPADD(DAY, -30, {now})");
		this.rows.setArchived(ids.get(1), "finished_at = TIMESTAMPADD(DAY, -29, {now})");
		for (JobState other : JobState.values()) {
			if (other != state) {
				assertThat(Pruning.prune(this.store, other, Duration.ZERO, 100)).isZero();
			}
		}
		assertThat(Pruning.prune(this.store, state, Duration.ofDays(31), 100)).isZero();
		assertThat(Pruning.prune(this.store, state, Duration.ofDays(7), 1)).isEqualTo(1);
		assertThat(this.store.find(ids.get(0))).as("the oldest goes first").isEmpty();
		assertThat(Pruning.prune(this.store, state, Duration.ofDays(7), 100)).isEqualTo(1);
		assertThat(this.store.find(ids.get(1))).isEmpty();
		assertThat(this.store.find(ids.get(2)).orElseThrow().payload()).hasSize(5_000);
		assertThat(this.rows.errors(ids.get(2))).hasSize(1);
		assertThat(this.rows.count("jobqueue_payload")).isEqualTo(1);
		assertThat(this.rows.count("jobqueue_error")).isEqualTo(1);
	}

	/**
	 * A job with a large payload that has failed once and then succeeded.
	 */
	private long archived() {
		Claim first = claimed(NewJob.of("any", "x".repeat(5_000)));
		this.store.finish(List.of(new Finish.Retry(first, Duration.ZERO, failure())));
		this.store.finish(List.of(new Finish.Ack(claim(1).get(0).claim())));
		return first.id();
	}

	@Test
	void pruningLeavesLiveJobsAlone() {
		enqueue(3);
		claim(1);
		var before = this.rows.all();
		for (JobState state : JobState.values()) {
			assertThat(Pruning.prune(this.store, state, Duration.ZERO, 100)).isZero();
		}
		assertThat(this.rows.all()).isEqualTo(before);
	}

	@Test
	void aRedrivenJobIsNotPruned() {
		long id = dead(NewJob.of("any", "x".repeat(5_000)));
		this.rows.setArchived(id, "finished_at = TIMESTAMPADD(DAY, -30, {now})");
		this.store.redrive(List.of(id));
		assertThat(Pruning.prune(this.store, JobState.DEAD, Duration.ofDays(7), 100)).isZero();
		assertThat(this.store.payload(id)).hasSize(5_000);
	}

}
