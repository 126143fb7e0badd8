package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.OverdueJob;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.store.jdbc.Rows.ArchivedRow;
import io.jobqueue.store.jdbc.Rows.LiveRow;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestSessions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Finding whom to rescue and what has expired.
 */
@ForEachDatabase
class OverdueJobsTests extends StoreTests {

	private JdbcWorkerSessions sessions;

	private long session;

	@BeforeEach
	void openSession() {
		this.sessions = new JdbcWorkerSessions(this.database);
		this.session = this.sessions.open(new NewSession("worker", 10, List.of(), List.of()), Duration.ofMinutes(1));
	}

	@Test
	void aSessionHoldsWhatItHasClaimedAndNotFinished() {
		List<Long> ids = enqueue(5);
		List<Claim> ours = claimFor(this.session, 3);
		List<Claim> others = claimFor(this.session + 1, 2);
		assertThat(this.store.heldBy(this.session, false)).containsExactlyInAnyOrderElementsOf(ours);
		assertThat(this.store.heldBy(this.session + 1, false)).containsExactlyInAnyOrderElementsOf(others);
		assertThat(this.store.heldBy(-1, false)).isEmpty();
		this.store.finish(List.of(new Finish.Ack(ours.get(0)), new Finish.Release(ours.get(1), Duration.ZERO)));
		assertThat(this.store.heldBy(this.session, false)).containsExactly(ours.get(2));
		this.store.cancel(ids.get(2));
		assertThat(this.store.heldBy(this.session, false)).isEmpty();
	}

	@Test
	void healthyJobsAreNotOverdue() {
		enqueue(2);
		claimFor(this.session, 1);
		assertThat(this.store.overdue(0, 10)).isEmpty();
	}

	@Test
	void aJobWhoseSessionIsGoneIsOrphaned() {
		enqueueAll(List.of(NewJob.of("send-receipt").maxAttempts(3)));
		Claim claim = claimFor(this.session, 1).get(0);
		this.rows.set(claim.id(), "crashes = 2, held_limit = 4, claimed_at = TIMESTAMPADD(SECOND, -90, {now})");
		this.sessions.close(this.session);
		assertThat(this.store.overdue(0, 10)).singleElement()
			.satisfies((job) -> assertThat(job)
				.isEqualTo(new OverdueJob(claim, "send-receipt", 1, 3, 2, 4, true, job.heldFor(), job.allowed())))
			.satisfies((job) -> assertThat(job.heldFor()).isGreaterThanOrEqualTo(Duration.ofSeconds(90)));
	}

	@Test
	void anOldSessionIsNotGoneBeforeItsRowIs() {
		enqueue(1);
		claimFor(this.session, 1);
		this.rows.sql("UPDATE jobqueue_session SET expires_at = TIMESTAMPADD(HOUR, -1, {now})").update();
		assertThat(this.store.overdue(0, 10)).isEmpty();
		assertThat(TestSessions.endExpired(this.sessions)).containsExactly("worker");
		assertThat(this.store.overdue(0, 10)).hasSize(1);
	}

	@Test
	void aJobWhoseDeadlineHasPassedIsOverdueAndNotOrphaned() {
		List<Long> ids = enqueue(2);
		claimFor(this.session, 2);
		this.rows.set(ids.get(1), "deadline_at = TIMESTAMPADD(SECOND, -1, {now})");
		assertThat(this.store.overdue(0, 10)).singleElement().satisfies((job) -> {
			assertThat(job.claim().id()).isEqualTo(ids.get(1));
			assertThat(job.orphaned()).isFalse();
			assertThat(job.heldFor()).isGreaterThanOrEqualTo(java.time.Duration.ZERO);
		});
	}

	@Test
	void aRescuedJobIsNotOverdueAnyMore() {
		enqueue(1);
		Claim claim = claimFor(-1, 1).get(0);
		assertThat(this.store.overdue(0, 10)).extracting(OverdueJob::claim).containsExactly(claim);
		this.store.finish(List.of(new Finish.Rescue(claim, failure())));
		assertThat(this.store.overdue(0, 10)).isEmpty();
	}

	@Test
	void overdueJobsAreListedByIdUpToTheLimit() {
		List<Long> ids = enqueueAll(IntStream.range(0, 5).mapToObj((i) -> NewJob.of("any").priority(i)).toList());
		for (int priority = 0; priority < 5; priority++) {
			claimFor(-1, range("default", priority), 1);
		}
		assertThat(overdueIds(0, 3)).containsExactlyElementsOf(ids.subList(0, 3));
		assertThat(overdueIds(ids.get(2), 3)).containsExactlyElementsOf(ids.subList(3, 5));
		assertThat(overdueIds(ids.get(4), 3)).isEmpty();
	}

	private List<Long> overdueIds(long after, int limit) {
		return this.store.overdue(after, limit).stream().map((job) -> job.claim().id()).toList();
	}

	private List<Claim> claimFor(long session, int limit) {
		return claimFor(session, range("default", 4), limit);
	}

	private List<Claim> claimFor(long session, ReadyRange range, int limit) {
		return this.store.claim(ClaimRequests.any(session, List.of(range), limit, Deadlines.always(DEADLINE)))
			.stream()
			.map(ClaimedJob::claim)
			.toList();
	}

	@Test
	void readyJobsExpireWhereverTheyWait() {
		NewJob expiring = NewJob.of("any", "x").expiresAfter(Duration.ofHours(1));
		long paused = enqueue(expiring.queue("paused"));
		long delayed = enqueue(expiring.delay(Duration.ofHours(9)));
		long suspect = enqueue(expiring);
		long young = enqueue(expiring);
		long never = enqueue(NewJob.of("any"));
		this.queues.setPaused("paused", true);
		this.rows.set(suspect, "state = 2, crashes = 1");
		List<Long> expired = List.of(paused, delayed, suspect);
		expired.forEach((id) -> this.rows.set(id, "expires_at = TIMESTAMPADD(SECOND, -1, {now})"));
		List<LiveRow> live = expired.stream().map(this.rows::live).toList();
		assertThat(this.store.expire(null, 100).changed()).isEqualTo(3);
		for (LiveRow before : live) {
			ArchivedRow archived = this.rows.archived(before.id());
			assertThat(archived)
				.isEqualTo(ArchivedRow.from(before, StateCode.of(JobState.EXPIRED), archived.finishedAt()));
			assertThat(this.rows.isLive(before.id())).isFalse();
		}
		assertThat(this.rows.isLive(young)).isTrue();
		assertThat(this.rows.isLive(never)).isTrue();
		assertThat(this.store.expire(null, 100).changed()).isZero();
	}

	@Test
	void aRunningJobDoesNotExpire() {
		Claim claim = claimed(NewJob.of("any").expiresAfter(Duration.ofHours(1)));
		this.rows.set(claim.id(), "expires_at = TIMESTAMPADD(SECOND, -1, {now})");
		assertThat(this.store.expire(null, 100).changed()).isZero();
		assertThat(this.store.finish(List.of(new Finish.Ack(claim)))).isEmpty();
	}

	@Test
	void expiringStopsAtItsLimit() {
		List<Long> ids = enqueue(5);
		ids.forEach((id) -> this.rows.set(id, "expires_at = TIMESTAMPADD(SECOND, -1, {now})"));
		assertThat(this.store.expire(null, 3).changed()).isEqualTo(3);
		assertThat(this.store.expire(null, 3).changed()).isEqualTo(2);
	}

	@Test
	void expiringGoesOnFromWhereItStopped() {
		List<Long> ids = enqueue(4);
		for (int i = 0; i < 4; i++) {
			this.rows.set(ids.get(i), "expires_at = TIMESTAMPADD(HOUR, " + Math.max(i, 1) + ", '2025-01-01 00:00:00')");
		}
		Batch<LocalDateTime> first = this.store.expire(null, 1);
		assertThat(first.next()).isEqualTo(LocalDateTime.of(2025, 1, 1, 1, 0));
		this.rows.set(ids.get(3), "expires_at = '2025-01-01 00:00:00'");
		Batch<LocalDateTime> second = this.store.expire(first.next(), 3);
		assertThat(second).isEqualTo(new Batch<>(2, null));
		assertThat(this.rows.isLive(ids.get(3))).isTrue();
		assertThat(this.store.expire(null, 3)).isEqualTo(new Batch<>(1, null));
	}

}
