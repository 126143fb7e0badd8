package io.jobqueue.store.jdbc;

import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import javax.sql.DataSource;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.jdbc.claim.ClaimJobs;
import io.jobqueue.store.jdbc.claim.ClaimLimits;
import io.jobqueue.store.jdbc.claim.FlawedJobs;
import io.jobqueue.store.jdbc.claim.Quarantine;
import io.jobqueue.store.jdbc.claim.SuspectAdmission;
import io.jobqueue.store.jdbc.claim.TakeJobs;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.finish.ExpireJobs;
import io.jobqueue.store.jdbc.table.LimitedTypes;
import io.jobqueue.store.jdbc.table.StoreErrors;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Claims that follow each other closely start where the last one ended, and lose nothing
 * by it. The clock is the test's.
 */
@ForEachDatabase
class ResumedClaimTests extends StoreTests {

	private final AtomicLong clock = new AtomicLong(Duration.ofHours(1).toNanos());

	private WatchedDataSource watched;

	private ClaimJobs claims;

	@BeforeEach
	void openClaims() {
		openClaims(dataSource());
	}

	private void openClaims(DataSource dataSource) {
		this.watched = new WatchedDataSource(dataSource);
		Database own = new Database(this.watched);
		EndJobs end = new EndJobs(own, new StoreErrors(own), true);
		this.claims = new ClaimJobs(own, TakeJobs.of(own, settings(), this.clock::get),
				new SuspectAdmission(new Quarantine(own)),
				new ClaimLimits(own, new LimitedTypes(own, System::nanoTime), this.clock::get),
				new ClaimJobs.Ends(end, new ExpireJobs(own, end), new FlawedJobs(own, end)));
	}

	private List<Long> next(int limit) {
		return this.claims
			.claim(ClaimRequests.any(SESSION, List.of(range("default", 4)), limit, Deadlines.always(DEADLINE)))
			.stream()
			.map((job) -> job.claim().id())
			.toList();
	}

	private long enqueueLate() {
		long id = enqueue(NewJob.of("any"));
		this.rows.sql("UPDATE jobqueue_job SET available_at = :time WHERE id = :id")
			.param("time", this.rows.live(id).availableAt().minusHours(1))
			.param("id", id)
			.update();
		return id;
	}

	@Test
	void jobsThatBecameDueAtOneTimeAreEachClaimedOnceInOrder() {
		List<Long> ids = enqueue(10);
		List<Long> claimed = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			claimed.addAll(next(3));
		}
		assertThat(claimed).isEqualTo(ids);
		List<Long> later = enqueue(5);
		assertThat(next(3)).isEqualTo(later.subList(0, 3));
		assertThat(next(3)).isEqualTo(later.subList(3, 5));
	}

	@Test
	void whatComesToStandBeforeThePointIsClaimedWhenTheStartIsLookedAtAgain() {
		assumeFalse(this.testDatabase.isH2(), "claims always look from the start there");
		List<Long> ids = enqueue(6);
		assertThat(next(2)).isEqualTo(ids.subList(0, 2));
		long late = enqueueLate();
		assertThat(next(2)).isEqualTo(ids.subList(2, 4));
		this.clock.addAndGet(Duration.ofMillis(101).toNanos());
		assertThat(next(2)).containsExactly(late, ids.get(4));
	}

	@Test
	void whatComesToStandBeforeThePointIsClaimedAtOnceIfNothingIsBehindIt() {
		enqueue(2);
		assertThat(next(2)).hasSize(2);
		long late = enqueueLate();
		assertThat(next(2)).containsExactly(late);
	}

	@Test
	void jobsWhoseClaimWasRolledBackAreClaimedWhenItIsRepeated() {
		// Else some strategies claim by a statement that commits by itself.
		openClaims(schema().pool((settings) -> settings.setAutoCommit(false)));
		List<Long> ids = enqueue(6);
		assertThat(next(2)).isEqualTo(ids.subList(0, 2));
		AtomicInteger commits = new AtomicInteger();
		this.watched.beforeCommit((connection) -> {
			if (commits.getAndIncrement() == 0) {
				throw new SQLTransactionRollbackException("Deadlock, for a test", "40001", 1213);
			}
		});
		assertThat(next(2)).isEqualTo(ids.subList(2, 4));
		assertThat(commits).hasValue(2);
	}

	@Test
	void aPausedQueueYieldsNothingBehindThePointEither() {
		enqueue(6);
		assertThat(next(2)).hasSize(2);
		this.queues.setPaused("default", true);
		assertThat(next(2)).isEmpty();
	}

	@Test
	void aLineOfNewestFirstAlwaysStartsWithTheNewest() {
		enqueue(3);
		ReadyRange stack = new ReadyRange("default", 4, 0, Degree.NONE, true, Duration.ZERO);
		for (int i = 0; i < 2; i++) {
			long newest = enqueue(NewJob.of("any"));
			assertThat(this.claims.claim(ClaimRequests.any(SESSION, List.of(stack), 1, Deadlines.always(DEADLINE))))
				.extracting((job) -> job.claim().id())
				.containsExactly(newest);
		}
	}

}
