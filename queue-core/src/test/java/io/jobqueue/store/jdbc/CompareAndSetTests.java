package io.jobqueue.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.Claim;
import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.SplitReads;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Together;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What happens between the read and the update of a claim by compare-and-set. The other
 * store claims by SKIP LOCKED: both ways may be used on one database.
 */
@ForEachDatabase
class CompareAndSetTests extends StoreTests {

	private static final StoreSettings SETTINGS = StoreSettings.DEFAULT.withClaim(ClaimStrategy.COMPARE_AND_SET);

	private static final long OTHER_SESSION = 8;

	private WatchedDataSource watched;

	private JdbcJobStore comparing;

	@BeforeEach
	void openComparing() {
		this.watched = new WatchedDataSource(dataSource());
		this.comparing = new JdbcJobStore(new Database(this.watched), SETTINGS);
	}

	/** Lets something happen after the read, once. */
	private void meanwhile(Runnable change) {
		AtomicBoolean first = new AtomicBoolean(true);
		this.watched.beforePlainStatement((sql) -> {
			if (sql.startsWith("UPDATE jobqueue_job") && first.getAndSet(false)) {
				Together.elsewhere(() -> {
					change.run();
					return true;
				});
			}
		});
	}

	private List<ClaimedJob> claimComparing(int limit) {
		return this.comparing
			.claim(ClaimRequests.any(SESSION, List.of(range("default", 4)), limit, Deadlines.always(DEADLINE)));
	}

	private List<Long> claimIdsComparing(int limit) {
		return claimComparing(limit).stream().map((job) -> job.claim().id()).toList();
	}

	private List<ClaimedJob> claimByOther(int limit) {
		return this.store
			.claim(ClaimRequests.any(OTHER_SESSION, List.of(range("default", 4)), limit, Deadlines.always(DEADLINE)));
	}

	@Test
	void aJobThatWasRescheduledIsNotClaimedAtItsOldTime() {
		long id = enqueue(NewJob.of("any"));
		meanwhile(() -> assertThat(this.store.reschedule(id, Instant.now().plus(Duration.ofHours(1)))).isTrue());
		assertThat(claimComparing(1)).isEmpty();
		assertThat(this.rows.live(id).state()).isEqualTo(StateCode.READY);
		assertThat(this.rows.live(id).attempt()).isZero();
	}

	@Test
	void aJobThatWasCancelledIsNotClaimed() {
		long id = enqueue(NewJob.of("any"));
		meanwhile(() -> assertThat(this.store.cancel(id)).isTrue());
		assertThat(claimComparing(1)).isEmpty();
		assertThat(this.rows.archived(id).state()).isEqualTo(StateCode.of(JobState.CANCELLED));
	}

	@Test
	void aQueueThatWasPausedYieldsNothing() {
		long id = enqueue(NewJob.of("any"));
		meanwhile(() -> this.queues.setPaused("default", true));
		assertThat(claimComparing(1)).isEmpty();
		assertThat(this.rows.live(id).state()).isEqualTo(StateCode.READY);
	}

	@Test
	void aJobThatHasExpiredIsArchived() {
		long id = enqueue(NewJob.of("any").expiresAfter(Duration.ofHours(1)));
		meanwhile(() -> this.rows.set(id, "expires_at = TIMESTAMPADD(SECOND, -1, {now})"));
		assertThat(claimComparing(1)).isEmpty();
		assertThat(this.rows.archived(id).state()).isEqualTo(StateCode.of(JobState.EXPIRED));
	}

	@Test
	void aJobWhoseTimeWasPutOffBySqlIsNotClaimed() {
		long id = enqueue(NewJob.of("any"));
		meanwhile(() -> this.rows.set(id, "available_at = TIMESTAMPADD(HOUR, 1, {now})"));
		assertThat(claimComparing(1)).isEmpty();
		assertThat(this.rows.live(id).state()).isEqualTo(StateCode.READY);
	}

	@Test
	void aJobThatWasSortedOutIsLeftToThoseWhoKnowItsType() {
		long id = enqueue(NewJob.of("any"));
		meanwhile(() -> assertThat(this.store.sortOut(range("default", 4), Set.of("other"), Duration.ZERO, 10))
			.containsExactly("any"));
		assertThat(claimComparing(1)).isEmpty();
		assertThat(this.rows.live(id).state()).isEqualTo(StateCode.READY);
	}

	@Test
	void whoIsSecondGetsTheJobsThatTheFirstHasLeft() {
		List<Long> ids = enqueue(3);
		meanwhile(() -> assertThat(claimByOther(1)).hasSize(1));
		assertThat(claimIdsComparing(3)).isEqualTo(ids.subList(1, 3));
		assertThat(this.store.heldBy(SESSION, true)).extracting(Claim::id)
			.containsExactlyInAnyOrderElementsOf(ids.subList(1, 3));
	}

	@Test
	void whatItTookIsItsOwnThoughALateReplicaDoesNotShowIt() {
		try (TestSchema copy = this.testDatabase.create()) {
			SplitReads splitting = new SplitReads(this.watched, copy.dataSource());
			splitting.late((sql) -> sql.contains("state = 1"));
			this.comparing = new JdbcJobStore(new Database(splitting), SETTINGS);
			List<Long> ids = enqueue(3);
			meanwhile(() -> assertThat(claimByOther(1)).hasSize(1));
			assertThat(claimIdsComparing(3)).isEqualTo(ids.subList(1, 3));
			assertThat(splitting.split()).isPositive();
		}
	}

	@Test
	void whoGetsNoneOfWhatItHasReadLooksFurtherBack() {
		List<Long> ids = enqueue(6);
		meanwhile(() -> assertThat(claimByOther(3)).hasSize(3));
		assertThat(claimIdsComparing(3)).isNotEmpty().isSubsetOf(ids.subList(3, 6));
	}

	@Test
	void whoGetsNoneOfTheLastJobsGetsNothing() {
		enqueue(3);
		meanwhile(() -> assertThat(claimByOther(3)).hasSize(3));
		assertThat(claimComparing(3)).isEmpty();
	}

	@Test
	void aJobThatWasClaimedAndGivenBackIsClaimedAsItIsNow() {
		long id = enqueue(NewJob.of("any"));
		meanwhile(() -> this.store.finish(Stream.of(claimByOther(1).get(0).claim())
			.map((claim) -> new Finish.Retry(claim, Duration.ZERO, failure()))
			.toList()));
		List<ClaimedJob> jobs = claimComparing(1);
		assertThat(jobs).hasSize(1);
		assertThat(jobs.get(0).attempt()).isEqualTo(2);
		assertThat(this.rows.live(id).fence()).isEqualTo(jobs.get(0).claim().fence()).isEqualTo(3);
	}

	@Test
	void jobsOfDifferentFencesAndDeadlinesAreClaimedTogether() {
		List<Long> ids = enqueueAll(List.of(NewJob.of("any"), NewJob.of("any").timeout(Duration.ofHours(2)),
				NewJob.of("any"), NewJob.of("any").timeout(Duration.ofHours(1))));
		this.rows.set(ids.get(2), "fence = 5");
		assertThat(claimIdsComparing(10)).isEqualTo(ids);
		assertThat(ids.stream().map((id) -> this.rows.live(id).fence())).containsExactly(1L, 1L, 6L, 1L);
		assertThat(ids.stream().map(this.rows::live))
			.extracting((row) -> Duration.between(row.claimedAt(), row.deadlineAt()))
			.containsExactly(DEADLINE, DEADLINE.plusHours(2), DEADLINE, DEADLINE.plusHours(1));
	}

	@Test
	void aJobThatSomebodyKeepsLockedKeepsNoOthersWaitingForLong() throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "H2 locks differently");
		List<Long> ids = enqueue(5);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids.subList(2, 3));
			assertThat(claimIdsComparing(10)).containsExactlyInAnyOrder(ids.get(0), ids.get(1), ids.get(3), ids.get(4));
		}
		assertThat(claimIdsComparing(10)).containsExactly(ids.get(2));
	}

	@Test
	void anExpiredJobThatSomebodyKeepsLockedStaysForALaterClaim() throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "H2 locks differently");
		List<Long> ids = enqueueAll(
				List.of(NewJob.of("any").expiresAfter(Duration.ofHours(1)), NewJob.of("any"), NewJob.of("any")));
		this.rows.set(ids.get(0), "expires_at = TIMESTAMPADD(SECOND, -1, {now})");
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids.subList(0, 1));
			assertThat(claimIdsComparing(10)).isEqualTo(ids.subList(1, 3));
		}
		assertThat(claimComparing(10)).isEmpty();
		assertThat(this.rows.archived(ids.get(0)).state()).isEqualTo(StateCode.of(JobState.EXPIRED));
	}

}
