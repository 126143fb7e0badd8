package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.QueueMode;
import io.jobqueue.database.Database;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimNext;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Finished;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.OrderKeys.NowReady;
import io.jobqueue.store.TypeRules;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * The next job of an order key is ready, or claimed, in the transaction in which the one
 * before it is acked.
 */
@ForEachDatabase
class NextInOrderTests extends OrderStoreTests {

	private static final ClaimNext CLAIM = new ClaimNext(SESSION, Set.of("any"), "default"::equals,
			Deadlines.always(DEADLINE), 100);

	private Finished ack(List<Claim> claims, ClaimNext next) {
		return this.store.finish(claims.stream().map(Finish.Ack::new).toList(), LockWaits.USUAL, next);
	}

	private Finished.Keys ack(Claim claim, ClaimNext next) {
		Finished finished = ack(List.of(claim), next);
		assertThat(finished.notWritten()).isEmpty();
		return finished.keys();
	}

	private long changes() {
		return this.rows.count("jobqueue_order_change");
	}

	@Test
	void theNextOneIsReady() {
		List<Long> ids = keyed(KEY, 2);
		Claim head = next();
		Finished.Keys keys = ack(head, ClaimNext.NONE);
		assertThat(keys.seenTo()).containsExactly(head.id());
		assertThat(keys.ready()).containsExactly(new NowReady("any", "default", NewJob.DEFAULT_PRIORITY));
		assertThat(keys.claimed()).isEmpty();
		assertThat(changes()).isZero();
		assertThat(claimIds(10)).containsExactly(ids.get(1));
	}

	@Test
	void theNextOneIsClaimedAsByAClaim() {
		List<Long> ids = enqueueAll(IntStream.range(0, 3)
			.mapToObj((i) -> NewJob.of("any", "p" + i).orderKey(KEY).maxAttempts(7).timeout(Duration.ofSeconds(5)))
			.toList());
		this.rows.sql("UPDATE jobqueue_job SET available_at = '2020-01-01 00:00:00'").update();
		Claim head = next();
		for (int i = 1; i < 3; i++) {
			ClaimedJob job = ack(head, CLAIM).claimed().get(0);
			assertThat(job.claim()).isEqualTo(new Claim(ids.get(i), 1, SESSION));
			assertThat(job.payload().text()).isEqualTo("p" + i);
			assertThat(job.attempt()).isOne();
			assertThat(job.maxAttempts()).isEqualTo(7);
			assertThat(job.timeout()).isEqualTo(Duration.ofSeconds(5));
			assertThat(job.orderKey()).isEqualTo(KEY);
			assertThat(job.waited()).isZero();
			assertThat(job(job.claim().id()).state()).isEqualTo(JobState.RUNNING);
			assertThat(this.rows
				.sql("SELECT COUNT(*) FROM jobqueue_job WHERE id = :id AND deadline_at > claimed_at "
						+ "AND available_at = claimed_at")
				.param("id", ids.get(i))
				.query(Long.class)
				.single()).isOne();
			assertThat(this.rows
				.sql("SELECT COUNT(*) FROM jobqueue_archive a JOIN jobqueue_job j ON j.claimed_at >= a.finished_at "
						+ "WHERE a.id = :before AND j.id = :id")
				.param("before", head.id())
				.param("id", job.claim().id())
				.query(Long.class)
				.single()).as("not before the end of the other one").isOne();
			assertThat(settle()).isZero();
			assertThat(claimIds(10)).isEmpty();
			head = job.claim();
		}
		assertThat(ack(head, CLAIM).claimed()).isEmpty();
		assertThat(this.rows.count("jobqueue_job")).isZero();
		assertThat(this.rows.count("jobqueue_order_place")).isZero();
		assertThat(changes()).isZero();
		assertThat(keyed(KEY)).isEqualTo(next().id());
	}

	@Test
	void thoseOfManyKeysToo() {
		for (int i = 0; i < 3; i++) {
			enqueueAll(IntStream.range(0, 60).mapToObj((key) -> NewJob.of("any").orderKey("k" + key)).toList());
		}
		settle();
		List<Claim> heads = claim(100).stream().map(ClaimedJob::claim).toList();
		Finished.Keys keys = ack(heads, CLAIM).keys();
		assertThat(keys.claimed()).hasSize(60);
		assertThat(keys.seenTo()).hasSize(60);
		keys = ack(keys.claimed().stream().map(ClaimedJob::claim).toList(), ClaimNext.NONE).keys();
		assertThat(keys.ready()).containsExactly(new NowReady("any", "default", NewJob.DEFAULT_PRIORITY));
		assertThat(settle()).isZero();
		heads = claim(100).stream().map(ClaimedJob::claim).toList();
		assertThat(heads).hasSize(60);
		assertThat(ack(heads, CLAIM).keys().claimed()).isEmpty();
		assertThat(this.rows.count("jobqueue_job")).isZero();
		assertThat(this.rows.count("jobqueue_order_place")).isZero();
	}

	@Test
	void noMoreAreClaimedThanThereIsRoomFor() {
		for (int i = 0; i < 2; i++) {
			enqueueAll(IntStream.range(0, 30).mapToObj((key) -> NewJob.of("any").orderKey("k" + key)).toList());
		}
		settle();
		List<Claim> heads = claim(100).stream().map(ClaimedJob::claim).toList();
		Finished.Keys keys = ack(heads, new ClaimNext(SESSION, CLAIM.types(), CLAIM.queues(), CLAIM.deadlines(), 7))
			.keys();
		assertThat(keys.claimed()).hasSize(7);
		assertThat(keys.seenTo()).hasSize(30);
		assertThat(claimIds(100)).hasSize(23);
	}

	/** By a claim, which knows what is to be done with it. */
	@TestFactory
	Stream<DynamicTest> whatMayNotRunAtOnceIsReadyAndNotClaimed() {
		Map<String, Consumer<Long>> cases = Map.ofEntries(
				Map.entry("paused", (id) -> this.queues.setPaused("default", true)),
				Map.entry("row-lock", (id) -> this.queues.setMode("default", QueueMode.ROW_LOCK)),
				Map.entry("type", (id) -> set(id, "type = 'other'")),
				Map.entry("sorted out", (id) -> set(id, "type_id = 5")),
				Map.entry("limit key", (id) -> set(id, "limit_key = 'x'")),
				Map.entry("delayed", (id) -> set(id, "available_at = '2100-01-01 00:00:00'")),
				Map.entry("expired", (id) -> set(id, "expires_at = '2020-01-01 00:00:00'")),
				Map.entry("suspect", (id) -> set(id, "crashes = 1")),
				Map.entry("outage", (id) -> set(id, "outages = 1")),
				Map.entry("queue of others", (id) -> set(id, "queue = 'other'")),
				Map.entry("hostile fence", (id) -> set(id, "fence = -5")),
				Map.entry("hostile attempt", (id) -> set(id, "attempt = 2147483647")),
				Map.entry("hostile queue", (id) -> set(id, "queue = 'No Name!'")));
		return cases.entrySet().stream().map((each) -> DynamicTest.dynamicTest(each.getKey(), () -> {
			this.rows.deleteAll();
			List<Long> ids = keyed(KEY, 2);
			Claim head = next();
			each.getValue().accept(ids.get(1));
			Finished.Keys keys = ack(head, CLAIM);
			assertThat(keys.claimed()).isEmpty();
			assertThat(keys.seenTo()).containsExactly(head.id());
			assertThat(this.rows.sql("SELECT COUNT(*) FROM jobqueue_job WHERE id = :id AND state IN (0, 2, 7, 8)")
				.param("id", ids.get(1))
				.query(Long.class)
				.single()).isOne();
		}));
	}

	private void set(long id, String values) {
		this.rows.sql("UPDATE jobqueue_job SET " + values + " WHERE id = :id").param("id", id).update();
	}

	@Test
	void whatALimitCountsIsReadyAndNotClaimed() {
		List<Long> ids = keyed(KEY, 2);
		Claim head = next();
		this.rows.sql("INSERT INTO jobqueue_limit (id, name, running) VALUES (1, 'few', 1)").update();
		this.store.registerTypes(Map.of("any", new TypeRules(RetryPolicy.DEFAULT, OnDead.CONTINUE, "few")));
		Finished.Keys keys = ack(head, CLAIM);
		assertThat(keys.claimed()).isEmpty();
		assertThat(job(ids.get(1)).state()).isEqualTo(JobState.READY);
	}

	/** The key of such a job is blocked. */
	@Test
	void theDeathOfAJobThatCannotBeReadyIsNotPassedOver() {
		List<Claim> heads = headsOfManyKeysOfWhichOneHasABrokenJob();
		try {
			assertThat(ack(heads, ClaimNext.NONE).keys().seenTo()).hasSize(30);
		}
		finally {
			acceptAll();
		}
		assertOneIsBlocked();
	}

	@Test
	void aJobThatCannotBeClaimedKeepsNoOtherFromItsEnd() {
		List<Claim> heads = headsOfManyKeysOfWhichOneHasABrokenJob();
		try {
			assertThat(ack(heads, CLAIM)).isEqualTo(new Finished(Set.of(), Finished.Keys.NONE));
			settle();
		}
		finally {
			acceptAll();
		}
		assertOneIsBlocked();
	}

	private List<Claim> headsOfManyKeysOfWhichOneHasABrokenJob() {
		onDead(OnDead.BLOCK);
		for (int i = 0; i < 3; i++) {
			enqueueAll(IntStream.range(0, 30).mapToObj((key) -> NewJob.of("any").orderKey("k" + key)).toList());
		}
		settle();
		List<Claim> heads = claim(100).stream().map(ClaimedJob::claim).toList();
		set(heads.get(7).id() + 30, "payload = 'broken'");
		this.rows
			.sql("ALTER TABLE jobqueue_job ADD CONSTRAINT refused CHECK (state NOT IN (0, 1) OR payload <> 'broken')")
			.update();
		return heads;
	}

	private void acceptAll() {
		this.rows.sql("ALTER TABLE jobqueue_job DROP CONSTRAINT refused").update();
	}

	private void assertOneIsBlocked() {
		settle();
		assertThat(this.keys.blocked(10)).singleElement()
			.satisfies((blocked) -> assertThat(job(blocked.jobId()).state()).isEqualTo(JobState.DEAD));
		assertThat(claimIds(100)).hasSize(29);
		assertThat(this.rows.count("jobqueue_order_place")).isEqualTo(30);
	}

	@Test
	void whatIsLockedIsLeftToOthers() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		for (String locked : List.of("jobqueue_order_key", "jobqueue_job")) {
			this.rows.deleteAll();
			List<Long> ids = keyed(KEY, 2);
			Claim head = next();
			try (LockHolder holder = new LockHolder(schema())) {
				if (locked.equals("jobqueue_job")) {
					holder.lock(locked, "id", ids.subList(1, 2));
				}
				else {
					holder.lock(locked, "order_key", List.of(KEY));
				}
				Finished.Keys keys = ack(head, CLAIM);
				assertThat(keys.seenTo()).as(locked).isEmpty();
				assertThat(keys.claimed()).isEmpty();
				assertThat(keys.ready()).isEmpty();
			}
			assertThat(changes()).isOne();
			assertThat(settle()).isOne();
			assertThat(claimIds(10)).containsExactly(ids.get(1));
		}
	}

	@Test
	void aJobThatIsNotTheHeadOfItsKeyDecidesNothing() {
		List<Long> ids = keyed(KEY, 2);
		Claim head = next();
		// As another program may do.
		long stranger = enqueue(NewJob.of("any"));
		set(stranger, "order_key = '" + KEY + "'");
		Claim claim = claim(10).get(0).claim();
		assertThat(claim.id()).isEqualTo(stranger);
		assertThat(ack(claim, CLAIM).claimed()).isEmpty();
		assertThat(settle()).isZero();
		assertThat(ack(head, CLAIM).claimed()).singleElement()
			.satisfies((job) -> assertThat(job.claim().id()).isEqualTo(ids.get(1)));
	}

	@Test
	void aStaleClaimAdmitsNothing() {
		keyed(KEY, 2);
		Claim head = next();
		Claim stale = new Claim(head.id(), head.fence() - 1, head.session());
		Finished finished = ack(List.of(stale), CLAIM);
		assertThat(finished.notWritten()).containsExactly(stale);
		assertThat(finished.keys().claimed()).isEmpty();
		assertThat(settle()).isZero();
		assertThat(claimIds(10)).isEmpty();
	}

	@Test
	void othersThanAcksLeaveTheKeyToOthers() {
		List<Long> ids = keyed(KEY, 2);
		Claim head = next();
		Finished dead = this.store.finish(List.of(new Finish.DeadLetter(head, failure())), LockWaits.USUAL, CLAIM);
		assertThat(dead.keys()).isEqualTo(Finished.Keys.NONE);
		assertThat(settle()).isOne();
		assertThat(claimIds(10)).containsExactly(ids.get(1));
	}

	@Test
	void claimsEndThoughTheirKeysCannotBeSeenTo() {
		keyed(KEY, 2);
		Claim head = next();
		Claim plain = claimed();
		WatchedDataSource watched = new WatchedDataSource(dataSource());
		List<String> failed = new ArrayList<>();
		watched.beforePlainStatement((sql) -> {
			if (sql.contains("own_fence")) {
				failed.add(sql);
				throw new IllegalStateException("For a test: this row cannot be read");
			}
		});
		JdbcJobStore failing = new JdbcJobStore(new Database(watched), settings());
		Finished finished = failing.finish(List.of(new Finish.Ack(head), new Finish.Ack(plain)), LockWaits.USUAL,
				CLAIM);
		assertThat(failed).hasSize(1);
		assertThat(finished).isEqualTo(new Finished(Set.of(), Finished.Keys.NONE));
		assertThat(job(head.id()).state()).isEqualTo(JobState.SUCCEEDED);
		assertThat(job(plain.id()).state()).isEqualTo(JobState.SUCCEEDED);
		assertThat(settle()).isOne();
	}

	@Test
	void aJobThatComesLateWithALowerIdIsNext() {
		List<Long> ids = keyed(KEY, 2);
		Claim head = next();
		set(ids.get(1), "id = " + (ids.get(1) + 10));
		this.rows.sql("UPDATE jobqueue_order_place SET job_id = :to WHERE job_id = :id")
			.param("to", ids.get(1) + 10)
			.param("id", ids.get(1))
			.update();
		head = ack(head, CLAIM).claimed().get(0).claim();
		assertThat(head.id()).isEqualTo(ids.get(1) + 10);
		long late = ids.get(1) + 5;
		long last = keyed(KEY);
		set(last, "id = " + late);
		this.rows.sql("UPDATE jobqueue_order_place SET job_id = :to WHERE job_id = :id")
			.param("to", late)
			.param("id", last)
			.update();
		this.rows.sql("UPDATE jobqueue_order_change SET job_id = :to WHERE job_id = :id")
			.param("to", late)
			.param("id", last)
			.update();
		settle();
		assertThat(ack(head, CLAIM).claimed()).singleElement()
			.satisfies((job) -> assertThat(job.claim().id()).isEqualTo(late));
	}

}
