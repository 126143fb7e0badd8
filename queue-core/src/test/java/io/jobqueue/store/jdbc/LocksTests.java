package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.Together;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a claim locks, and that nobody waits for it, with few and many ready jobs. MySQL
 * shows the locks of a transaction to others.
 */
class LocksTests extends ReadyJobsTests {

	@ParameterizedTest(name = "last in first out: {0}")
	@ValueSource(booleans = { false, true })
	void aClaimLocksTheJobsThatItTakesAndNothingElse(boolean lifo) {
		ReadyRange range = new ReadyRange("default", 4, 0, Degree.NONE, lifo, Duration.ZERO);
		assertClaimLocksOnlyWhatItTakes(range, 100, Math.min(100, this.readyJobs));
	}

	@Test
	void aClaimThatStartsBehindTheLastOneLocksTheJobsThatItTakesAndNothingElse() {
		assumeTrue(this.readyJobs > 1, "there is nothing behind a single job");
		assertThat(claim(this.store, List.of(RANGE), 100)).hasSize(100);
		assertClaimLocksOnlyWhatItTakes(RANGE, 100, 100);
	}

	@Test
	void aClaimOfMoreThanIsDueLocksNoJobThatIsDelayed() {
		enqueueTail(5, Duration.ZERO);
		enqueueTail(5, Duration.ofHours(1));
		assertClaimLocksOnlyWhatItTakes(new ReadyRange("tail", 4, 0, Degree.NONE, false, Duration.ZERO), 100, 5);
	}

	@Test
	void aClaimOfARangeInWhichNothingIsDueLocksNothing() {
		enqueueTail(5, Duration.ofHours(1));
		assertClaimLocksOnlyWhatItTakes(new ReadyRange("tail", 4, 0, Degree.NONE, false, Duration.ZERO), 100, 0);
	}

	@Test
	void aClaimLocksNoJobOfATypeThatItDoesNotAskFor() {
		for (int i = 0; i < 5; i++) {
			enqueueExtra(this.store, NewJob.of("theirs").queue("tail"));
			enqueueExtra(this.store, NewJob.of("ours").queue("tail"));
		}
		List<RowLock> locks = new ArrayList<>();
		this.watched.beforeCommit((connection) -> locks.addAll(RowLock.of(connection, schema())));
		Set<Long> claimed = ids(this.store
			.claim(new ClaimRequest(SESSION, List.of(new ReadyRange("tail", 4, 0, Degree.NONE, false, Duration.ZERO)),
					100, Set.of("ours"), Deadlines.always(Duration.ofMinutes(1)), Load.empty(1))));
		assertThat(claimed).hasSize(5);
		assertThat(locks.stream().filter((lock) -> lock.type().equals("RECORD")).map(RowLock::id))
			.hasSameElementsAs(claimed);
	}

	private void assertClaimLocksOnlyWhatItTakes(ReadyRange range, int limit, int expected) {
		List<RowLock> locks = new ArrayList<>();
		this.watched.beforeCommit((connection) -> locks.addAll(RowLock.of(connection, schema())));
		Set<Long> claimed = ids(claim(this.store, List.of(range), limit));
		assertThat(claimed).hasSize(expected);
		List<RowLock> ofRows = locks.stream().filter((lock) -> lock.type().equals("RECORD")).toList();
		assertThat(ofRows).as("no gaps").allMatch((lock) -> lock.mode().equals("X,REC_NOT_GAP"));
		assertThat(ofRows).allMatch((lock) -> lock.table().equals("jobqueue_job"));
		assertThat(ofRows).extracting(RowLock::index)
			.as("the claim index and the rows")
			.isSubsetOf("jobqueue_job_claim", "PRIMARY");
		for (String index : List.of("jobqueue_job_claim", "PRIMARY")) {
			assertThat(ofRows.stream().filter((lock) -> lock.index().equals(index)).map(RowLock::id)).as(index)
				.containsOnlyOnceElementsOf(claimed)
				.hasSameSizeAs(claimed);
		}
		assertThat(locks.stream().filter((lock) -> lock.type().equals("TABLE")).map(RowLock::mode))
			.allMatch((mode) -> mode.equals("IX") || mode.equals("IS"));
	}

	@Test
	void whileAClaimIsOpenOthersClaimTheNextJobsAndEnqueueWithoutWaiting() {
		Database database = new Database(schema().pool("sessionVariables=innodb_lock_wait_timeout=1"));
		JdbcJobStore other = new JdbcJobStore(database, StoreSettings.DEFAULT);
		List<Long> othersJobs = new ArrayList<>();
		AtomicBoolean first = new AtomicBoolean(true);
		this.watched.beforeCommit((connection) -> {
			if (first.getAndSet(false)) {
				othersJobs.addAll(Together.elsewhere(() -> {
					for (int priority = 0; priority <= 9; priority++) {
						enqueueExtra(other, NewJob.of("any").queue("tail").priority(priority));
						enqueueExtra(other, NewJob.of("any").priority(priority));
					}
					return ids(claim(other, List.of(RANGE), 100));
				}));
			}
		});
		Set<Long> claimed = ids(claim(this.store, List.of(RANGE), 100));
		assertThat(first).isFalse();
		assertThat(claimed).hasSize(Math.min(100, this.readyJobs)).doesNotContainAnyElementsOf(othersJobs);
		assertThat(othersJobs).as("the next ones, or the new one").hasSize((this.readyJobs > 1) ? 100 : 1);
		assertThat(database.transactions().conflicts()).isZero();
	}

}
