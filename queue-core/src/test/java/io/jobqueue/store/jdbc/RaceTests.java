package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.Thorough;
import io.jobqueue.test.Together;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What must not happen however threads meet, whatever isolation the application's pool
 * has.
 */
@ParameterizedClass(name = "{0} at {1}")
@MethodSource("places")
class RaceTests extends StoreTests {

	private static HikariDataSource pool;

	@Parameter(1)
	String isolation;

	static Stream<Arguments> places() {
		return Stream.of(TestDatabase.MYSQL, TestDatabase.MARIADB, TestDatabase.H2)
			.flatMap((database) -> ((database == TestDatabase.MYSQL || Thorough.isOn())
					? Stream.of("TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ")
					: Stream.of("TRANSACTION_REPEATABLE_READ"))
				.map((isolation) -> Arguments.of(database, isolation)));
	}

	@Override
	DataSource dataSource() {
		if (pool == null || pool.isClosed()) {
			pool = schema().pool((settings) -> settings.setTransactionIsolation(this.isolation));
		}
		return pool;
	}

	@Test
	void twoWorkersNeverHoldOneJob() {
		List<Long> ids = enqueue(1_000);
		List<List<Long>> claimed = Together.run(8, (number) -> {
			Random random = new Random(number);
			List<Long> mine = new ArrayList<>();
			while (readyJobs() > 0) {
				claimFor(number, 1 + random.nextInt(30)).forEach((job) -> mine.add(job.claim().id()));
			}
			return mine;
		});
		assertThat(claimed.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(ids);
		for (int number = 0; number < claimed.size(); number++) {
			assertThat(this.store.heldBy(number + 1L, false)).extracting(Claim::id)
				.containsExactlyInAnyOrderElementsOf(claimed.get(number));
		}
	}

	@Test
	void everyJobIsFinishedOnceByManyThreads() {
		List<Long> ids = enqueue(2_000);
		Map<Long, List<Long>> fences = new ConcurrentHashMap<>();
		List<Integer> retries = Together.run(8, (number) -> {
			Random random = new Random(number);
			int mine = 0;
			while (this.rows.count("jobqueue_job") > 0) {
				List<Finish> finishes = new ArrayList<>();
				for (ClaimedJob job : claimFor(number, 1 + random.nextInt(60))) {
					fences.computeIfAbsent(job.claim().id(), (key) -> new CopyOnWriteArrayList<>())
						.add(job.claim().fence());
					finishes.add(ackRetryOrRelease(job.claim(), random.nextInt(4)));
				}
				finish(number, finishes);
				mine += (int) finishes.stream().filter(Finish.Retry.class::isInstance).count();
			}
			return mine;
		});
		assertThat(this.rows.sql("SELECT id FROM jobqueue_archive WHERE state = 3").query(Long.class).list())
			.containsExactlyInAnyOrderElementsOf(ids);
		assertThat(fences).hasSize(ids.size());
		assertThat(fences).allSatisfy((id, ofJob) -> assertThat(ofJob).isSorted().doesNotHaveDuplicates());
		assertThat(this.rows.count("jobqueue_error")).isEqualTo(retries.stream().mapToInt(Integer::intValue).sum());
	}

	/**
	 * Those that another claim looks at are locked for a moment, and passed over.
	 */
	private void finish(int number, List<Finish> finishes) {
		Set<Claim> left = this.store.finish(finishes);
		while (!left.isEmpty()) {
			Set<Claim> locked = left;
			assertThat(this.store.heldBy(number + 1L, true)).as("held, not stale").containsAll(locked);
			left = this.store.finish(finishes.stream().filter((finish) -> locked.contains(finish.claim())).toList());
		}
	}

	private static Finish ackRetryOrRelease(Claim claim, int choice) {
		return switch (choice) {
			case 0 -> new Finish.Retry(claim, Duration.ZERO, failure());
			case 1 -> new Finish.Release(claim, Duration.ZERO);
			default -> new Finish.Ack(claim);
		};
	}

	@Test
	void ackAndCancelOfOneRunningJobHaveOneWinner() {
		enqueue(100);
		List<Claim> claims = claim(100).stream().map(ClaimedJob::claim).toList();
		CyclicBarrier together = new CyclicBarrier(2);
		List<List<Boolean>> won = Together.run(2, (number) -> {
			List<Boolean> mine = new ArrayList<>();
			for (Claim claim : claims) {
				together.await();
				mine.add((number == 0) ? this.store.finish(List.of(new Finish.Ack(claim))).isEmpty()
						: this.store.cancel(claim.id()));
			}
			return mine;
		});
		assertThat(this.rows.count("jobqueue_job")).isZero();
		for (int i = 0; i < claims.size(); i++) {
			boolean acked = won.get(0).get(i);
			assertThat(won.get(1).get(i)).as("job %s", i).isNotEqualTo(acked);
			assertThat(this.rows.archived(claims.get(i).id()).state()).as("job %s", i)
				.isEqualTo(StateCode.of(acked ? JobState.SUCCEEDED : JobState.CANCELLED));
		}
	}

	@Test
	void rescueAndAckOfOneRunningJobHaveOneWinner() {
		enqueue(100);
		List<Claim> claims = claim(100).stream().map(ClaimedJob::claim).toList();
		CyclicBarrier together = new CyclicBarrier(2);
		List<List<Boolean>> won = Together.run(2, (number) -> {
			List<Boolean> mine = new ArrayList<>();
			for (Claim claim : claims) {
				together.await();
				Finish finish = (number == 0) ? new Finish.Ack(claim) : new Finish.Rescue(claim, failure());
				mine.add(this.store.finish(List.of(finish)).isEmpty());
			}
			return mine;
		});
		for (int i = 0; i < claims.size(); i++) {
			boolean acked = won.get(0).get(i);
			assertThat(won.get(1).get(i)).as("job %s", i).isNotEqualTo(acked);
			assertThat(this.rows.isArchived(claims.get(i).id())).as("job %s", i).isEqualTo(acked);
		}
	}

	@Test
	void redriveByManyThreadsHappensOnce() {
		List<Long> ids = enqueue(30);
		this.store.finish(claim(30).stream().map((job) -> new Finish.DeadLetter(job.claim(), failure())).toList());
		CyclicBarrier together = new CyclicBarrier(8);
		List<List<Integer>> redriven = Together.run(8, (number) -> {
			List<Integer> mine = new ArrayList<>();
			for (long id : ids) {
				together.await();
				mine.add(this.store.redrive(List.of(id)));
			}
			return mine;
		});
		for (int i = 0; i < ids.size(); i++) {
			int number = i;
			assertThat(redriven.stream().mapToInt((mine) -> mine.get(number)).sum()).as("job %s", i).isEqualTo(1);
		}
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(30);
		assertThat(this.rows.count("jobqueue_archive")).isZero();
	}

	@Test
	void uniqueKeyEnqueuedByManyThreadsMakesOneJob() {
		CyclicBarrier together = new CyclicBarrier(16);
		List<List<Long>> ids = Together.run(16, (number) -> {
			List<Long> mine = new ArrayList<>();
			for (int key = 0; key < 15; key++) {
				together.await();
				mine.add(enqueue(NewJob.of("any", "of " + number).uniqueKey("key-" + key)));
			}
			return mine;
		});
		assertThat(ids.stream().distinct()).hasSize(1);
		assertThat(ids.get(0)).doesNotHaveDuplicates();
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(15);
	}

	@Test
	void batchesThatShareUniqueKeysInAnyOrderMakeOneJobOfEach() {
		assumeFalse(this.testDatabase.isH2(), "H2 has no upsert that waits");
		List<String> keys = IntStream.range(0, 60).mapToObj((key) -> "key-" + key).toList();
		List<List<Long>> ids = Together.run(8, (number) -> {
			List<String> shuffled = new ArrayList<>(keys);
			Collections.shuffle(shuffled, new Random(number));
			List<Long> enqueued = enqueueAll(
					shuffled.stream().map((key) -> NewJob.of("any", key).uniqueKey(key)).toList());
			return keys.stream().map((key) -> enqueued.get(shuffled.indexOf(key))).toList();
		});
		assertThat(ids.stream().distinct()).hasSize(1);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(keys.size());
	}

	@Test
	void aCrowdThatDoesEverythingAtOnceBreaksNothing() {
		Map<Long, AtomicInteger> acks = new ConcurrentHashMap<>();
		Together.run(16, (number) -> {
			OneOfMany oneOfMany = new OneOfMany(number, this.store, this.queues, this.rows, acks);
			for (int i = 0; i < 60; i++) {
				oneOfMany.doSomething();
			}
			return number;
		});
		assertThat(acks.values()).as("no job succeeds twice").allMatch((times) -> times.get() == 1);
		assertNone("jobqueue_job j WHERE EXISTS (SELECT 1 FROM jobqueue_archive a WHERE a.id = j.id)");
		for (String belonging : List.of("jobqueue_payload", "jobqueue_error")) {
			assertNone(belonging + """
					 b
					WHERE NOT EXISTS (SELECT 1 FROM jobqueue_job j WHERE j.id = b.job_id)
					    AND NOT EXISTS (SELECT 1 FROM jobqueue_archive a WHERE a.id = b.job_id)""");
		}
		for (String table : List.of("jobqueue_job", "jobqueue_archive")) {
			assertNone(table + """
					 j
					WHERE j.large_payload = 1
					    AND NOT EXISTS (SELECT 1 FROM jobqueue_payload p WHERE p.job_id = j.id)""");
		}
	}

	private void assertNone(String fromWhere) {
		assertThat(this.rows.sql("SELECT COUNT(*) FROM " + fromWhere).query(Long.class).single()).as(fromWhere)
			.isZero();
	}

	private long readyJobs() {
		return this.rows.sql("SELECT COUNT(*) FROM jobqueue_job WHERE state = 0").query(Long.class).single();
	}

	private List<ClaimedJob> claimFor(int number, int limit) {
		return this.store
			.claim(ClaimRequests.any(number + 1L, List.of(range("default", 4)), limit, Deadlines.always(DEADLINE)));
	}

}
