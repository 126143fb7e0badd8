package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.MaintenanceStore.OldKey;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.Together;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Unique keys whose time is over while their jobs are still live, beside those that are
 * to be pruned.
 */
@ForEachDatabase
class PruneUniqueKeysTests extends StoreTests {

	@Test
	void keysOfLiveJobsAreLookedAtOnceInARound() {
		enqueueAll(keyed("live", 5));
		List<Long> ended = enqueueAll(keyed("also-ended", 2));
		enqueueAll(List.of(NewJob.of("another-type").uniqueKey("live")));
		ended.forEach(this.store::cancel);
		this.rows.sql("UPDATE jobqueue_unique_key SET expires_at = '2025-01-01 00:00:00'").update();
		List<String> places = new ArrayList<>();
		int deleted = 0;
		OldKey place = null;
		do {
			Batch<OldKey> batch = this.store.pruneUniqueKeys(place, 2);
			deleted += batch.changed();
			place = batch.next();
			places.add((place != null) ? place.type() + " " + place.uniqueKey() : "end");
		}
		while (place != null);
		assertThat(places).containsExactly("any also-ended-0", "any live-0", "any live-2", "any live-4", "end");
		assertThat(deleted).isEqualTo(2);
		assertThat(this.rows.count("jobqueue_unique_key")).isEqualTo(6);
	}

	@Test
	void onlyKeysThatAreDeletedAreLocked() {
		assumeTrue(this.testDatabase == TestDatabase.MYSQL, "it shows the locks of others");
		createLiveAndEnded();
		List<RowLock> locks = new ArrayList<>();
		WatchedDataSource watched = new WatchedDataSource(dataSource());
		watched.beforeCommit((connection) -> locks.addAll(RowLock.of(connection, schema())));
		JdbcJobStore other = new JdbcJobStore(new Database(watched), StoreSettings.DEFAULT);
		assertThat(other.pruneUniqueKeys(null, 500).changed()).isEqualTo(3);
		assertThat(locks.stream().filter((lock) -> lock.type().equals("RECORD"))).hasSize(3)
			.allMatch((lock) -> lock.index().equals("PRIMARY") && lock.data().contains("'ended-"))
			.allMatch((lock) -> lock.mode().equals("X,REC_NOT_GAP"));
	}

	@Test
	void whoeverEnqueuesAKeyOfALiveJobDoesNotWaitForAPrune() {
		assumeFalse(this.testDatabase.isH2(), "its lock waits cannot be shortened by a session variable");
		List<Long> live = createLiveAndEnded();
		Database impatient = new Database(schema().pool("sessionVariables=innodb_lock_wait_timeout=1"));
		JdbcJobStore caller = new JdbcJobStore(impatient, StoreSettings.DEFAULT);
		AtomicInteger commits = new AtomicInteger();
		WatchedDataSource watched = new WatchedDataSource(dataSource());
		watched.beforeCommit((connection) -> {
			commits.incrementAndGet();
			assertThat(Together
				.elsewhere(() -> caller.enqueue(keyed("live", 200).stream().map(StoreTests::text).toList()).ids()))
				.isEqualTo(live);
		});
		JdbcJobStore other = new JdbcJobStore(new Database(watched), StoreSettings.DEFAULT);
		assertThat(other.pruneUniqueKeys(null, 500).changed()).isEqualTo(3);
		assertThat(commits).hasValue(1);
		assertThat(impatient.transactions().conflicts()).isZero();
	}

	private List<Long> createLiveAndEnded() {
		List<Long> live = enqueueAll(keyed("live", 200));
		enqueueAll(keyed("ended", 3)).forEach(this.store::cancel);
		this.rows.sql("UPDATE jobqueue_unique_key SET expires_at = TIMESTAMPADD(SECOND, -1, {now})").update();
		return live;
	}

	private static List<NewJob> keyed(String prefix, int size) {
		return IntStream.range(0, size).mapToObj((i) -> NewJob.of("any").uniqueKey(prefix + "-" + i)).toList();
	}

	/**
	 * Without retention every key is out of time at once: between the look at a key and
	 * its deletion it may be given to a new job.
	 */
	@Test
	void aKeyThatIsTakenAgainMeanwhileIsNotPruned() {
		this.store = store(StoreSettings.DEFAULT.withUniqueKeyRetention(Duration.ZERO));
		AtomicInteger over = new AtomicInteger();
		Together.run(4, (thread) -> {
			if (thread >= 2) {
				while (over.get() < 2) {
					this.store.pruneUniqueKeys(null, 10);
				}
				return thread;
			}
			try {
				for (int round = 0; round < 200; round++) {
					long id = enqueue(keyed("contended", 1).get(0));
					assertThat(this.rows.count("jobqueue_job")).as("live jobs of one key").isLessThanOrEqualTo(1);
					this.store.cancel(id);
				}
				return thread;
			}
			finally {
				over.incrementAndGet();
			}
		});
	}

}
