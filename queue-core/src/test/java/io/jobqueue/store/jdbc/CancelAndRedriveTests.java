package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.ApplicationStore.DeadJob;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.jdbc.Rows.ArchivedRow;
import io.jobqueue.store.jdbc.Rows.LiveRow;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@ForEachDatabase
class CancelAndRedriveTests extends StoreTests {

	@Test
	void aReadyJobIsCancelledOnce() {
		long id = enqueue(NewJob.of("any", "x".repeat(5_000)).delay(Duration.ofHours(1)));
		LiveRow live = this.rows.live(id);
		assertThat(this.store.cancel(id)).isTrue();
		assertThat(this.store.cancel(id)).isFalse();
		assertCancelled(live);
		assertThat(this.store.find(id).orElseThrow().payload()).isEqualTo("x".repeat(5_000));
	}

	@Test
	void aRunningJobIsCancelledUnderItsWorker() {
		Claim claim = claimed();
		LiveRow live = this.rows.live(claim.id());
		assertThat(this.store.cancel(claim.id())).isTrue();
		assertCancelled(live);
		assertThat(this.store.finish(List.of(new Finish.Ack(claim)))).containsExactly(claim);
		assertThat(this.rows.archived(claim.id()).state()).isEqualTo(StateCode.of(JobState.CANCELLED));
	}

	@Test
	void aSuspectIsCancelled() {
		Claim claim = claimed();
		this.store.finish(List.of(new Finish.Rescue(claim, failure())));
		LiveRow live = this.rows.live(claim.id());
		assertThat(this.store.cancel(claim.id())).isTrue();
		assertCancelled(live);
	}

	@Test
	void aJobThatHasEndedIsNotCancelled() {
		long succeeded = succeeded(NewJob.of("any"));
		long dead = dead(NewJob.of("any"));
		var before = this.rows.all();
		assertThat(this.store.cancel(succeeded)).isFalse();
		assertThat(this.store.cancel(dead)).isFalse();
		assertThat(this.store.cancel(-1)).isFalse();
		assertThat(this.rows.all()).isEqualTo(before);
	}

	private void assertCancelled(LiveRow live) {
		assertThat(this.rows.isLive(live.id())).isFalse();
		ArchivedRow archived = this.rows.archived(live.id());
		assertThat(archived).isEqualTo(ArchivedRow.from(live, StateCode.of(JobState.CANCELLED), archived.finishedAt()));
	}

	@Test
	void aDeadJobIsRedrivenWithItsIdAHigherFenceAndNoAttempts() {
		NewJob job = NewJob.of("send-receipt", "{}")
			.queue("mail")
			.priority(7)
			.maxAttempts(3)
			.timeout(Duration.ofSeconds(9))
			.expiresAfter(Duration.ofHours(1));
		Claim claim = claimed(job);
		this.rows.set(claim.id(), "crashes = 3, attempt = 3");
		this.store.finish(List.of(new Finish.DeadLetter(claim, failure())));
		ArchivedRow dead = this.rows.archived(claim.id());
		assertThat(this.store.redrive(List.of(claim.id()))).isEqualTo(1);
		LiveRow live = this.rows.live(claim.id());
		assertThat(live.fence()).isGreaterThan(claim.fence());
		assertThat(live).isEqualTo(
				new LiveRow(claim.id(), StateCode.READY, "mail", 7, live.availableAt(), "send-receipt", live.fence(), 0,
						3, 9_000, 0, 0, 0, Rows.NEVER, Rows.NEVER, Rows.NEVER, dead.enqueuedAt(), false, "{}"));
		assertThat(live.availableAt()).isAfterOrEqualTo(dead.finishedAt());
		assertThat(this.rows.isArchived(claim.id())).isFalse();
		ClaimedJob again = claim(1).get(0);
		assertThat(again.attempt()).isEqualTo(1);
		assertThat(again.claim().fence()).isGreaterThan(live.fence());
	}

	@Test
	void aRedrivenJobKeepsItsLargePayloadAndItsErrors() {
		long id = dead(NewJob.of("any", "x".repeat(5_000)));
		this.store.redrive(List.of(id));
		assertThat(claim(1).get(0).payload()).isEqualTo(new ClaimedJob.Payload(null, true));
		assertThat(this.store.payload(id)).isEqualTo("x".repeat(5_000));
		assertThat(this.rows.errors(id)).hasSize(1);
	}

	@Test
	void aJobMayDieAndBeRedrivenAgainAndAgain() {
		long id = dead(NewJob.of("any"));
		for (int i = 0; i < 3; i++) {
			assertThat(this.store.redrive(List.of(id))).isEqualTo(1);
			Claim claim = claim(1).get(0).claim();
			assertThat(this.store.finish(List.of(new Finish.DeadLetter(claim, failure())))).isEmpty();
		}
		assertThat(this.rows.errors(id)).hasSize(4);
	}

	@Test
	void onlyDeadJobsAreRedriven() {
		long succeeded = succeeded(NewJob.of("any"));
		long dead = dead(NewJob.of("any"));
		long cancelled = enqueue(NewJob.of("any"));
		this.store.cancel(cancelled);
		long ready = enqueue(NewJob.of("any"));
		assertThat(this.store.redrive(List.of(succeeded, cancelled, ready, -1L))).isZero();
		assertThat(this.store.redrive(List.of(succeeded, dead, -1L))).isEqualTo(1);
		assertThat(this.store.redrive(List.of(dead))).isZero();
		assertThat(this.store.redrive(List.of())).isZero();
		assertThat(this.rows.live(dead).state()).isEqualTo(StateCode.READY);
		assertThat(this.rows.isArchived(succeeded)).isTrue();
	}

	@Test
	void theDeadAreListedPageByPageTheLongestDeadFirst() {
		List<Long> ids = deadJobs(7);
		LocalDateTime time = LocalDateTime.of(2025, 7, 1, 12, 0, 0, 123_456_000);
		// Three of one instant, across the end of a page, and one that died before all.
		for (int i : List.of(1, 2, 3)) {
			setFinished(ids.get(i), time);
		}
		setFinished(ids.get(6), time.minusNanos(1_000));
		setFinished(ids.get(0), time.plusNanos(1_000));
		setFinished(ids.get(5), time.plusDays(1));
		setFinished(ids.get(4), time.plusDays(2));
		assertThat(deadPageByPage(2)).containsExactly(ids.get(6), ids.get(1), ids.get(2), ids.get(3), ids.get(0),
				ids.get(5), ids.get(4));
		assertThat(deadPageByPage(100)).hasSize(7);
	}

	private List<Long> deadPageByPage(int page) {
		List<Long> all = new ArrayList<>();
		DeadJob last = null;
		while (true) {
			List<DeadJob> dead = this.store.dead(null, null, last, StoreTests.LATEST, page);
			if (dead.isEmpty()) {
				return all;
			}
			assertThat(dead).hasSizeLessThanOrEqualTo(page);
			dead.forEach((job) -> all.add(job.id()));
			last = dead.get(dead.size() - 1);
		}
	}

	private void setFinished(long id, LocalDateTime time) {
		this.rows.sql("UPDATE jobqueue_archive SET finished_at = :time WHERE id = :id")
			.param("time", time)
			.param("id", id)
			.update();
	}

	private List<Long> deadJobs(int number) {
		List<Long> ids = enqueue(number);
		this.store.finish(claim(number).stream().map((job) -> new Finish.DeadLetter(job.claim(), failure())).toList());
		return ids;
	}

	@Test
	void theDeadAreListedByQueueAndType() {
		long mail = dead(NewJob.of("send").queue("mail"));
		long other = dead(NewJob.of("print").queue("mail"));
		long elsewhere = dead(NewJob.of("send"));
		succeeded(NewJob.of("send").queue("mail"));
		assertThat(this.store.dead(null, null, null, StoreTests.LATEST, 10)).extracting(DeadJob::id)
			.containsExactlyInAnyOrder(mail, other, elsewhere);
		assertThat(this.store.dead("mail", null, null, StoreTests.LATEST, 10)).extracting(DeadJob::id)
			.containsExactlyInAnyOrder(mail, other);
		assertThat(this.store.dead(null, "send", null, StoreTests.LATEST, 10)).extracting(DeadJob::id)
			.containsExactlyInAnyOrder(mail, elsewhere);
		assertThat(this.store.dead("mail", "send", null, StoreTests.LATEST, 10)).extracting(DeadJob::id)
			.containsExactly(mail);
		assertThat(this.store.dead("none", null, null, StoreTests.LATEST, 10)).isEmpty();
	}

}
