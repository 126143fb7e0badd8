package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.database.Database;
import io.jobqueue.maintenance.DeclareLimits;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.TypeRules;
import io.jobqueue.store.jdbc.limit.Allowances;
import io.jobqueue.store.jdbc.limit.Booking;
import io.jobqueue.store.jdbc.limit.JdbcLimits;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.WatchedDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Limits among nodes that stand still, vanish or are of different versions, with a
 * backlog, and with rows that other programs have written.
 */
@ForEachDatabase
class LimitFaultsTests extends LimitStoreTests {

	@Test
	void aNodeThatStandsStillInItsClaimHoldsUpNobody() {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		this.limits.save(limit().running(5));
		WatchedDataSource watched = new WatchedDataSource(dataSource());
		JdbcJobStore frozen = new JdbcJobStore(new Database(watched), settings());
		frozen.registerTypes(Map.of("call", new TypeRules(RetryPolicy.DEFAULT, OnDead.CONTINUE, LIMIT)));
		calls("a", 20);
		AtomicBoolean once = new AtomicBoolean();
		List<Long> plain = new ArrayList<>();
		watched.beforeCommit((connection) -> {
			if (once.compareAndSet(false, true)) {
				// Another node, while this one has its locks.
				CompletableFuture.runAsync(() -> {
					plain.addAll(enqueue(2));
					assertThat(ids(claimOnce(8))).containsAll(plain);
				}).join();
			}
		});
		frozen.claim(request(SESSION + 1, due(), 3, this.pauses));
		assertThat(plain).hasSize(2);
	}

	@Test
	void placesOfJobsThatHaveEndedAreTidiedUpAtOnce() {
		this.limits.save(limit().running(1));
		ClaimedJob first = claimOf(calls("a", 1));
		List<Long> ids = calls("a", 500);
		while (!claimAll(100).isEmpty() || this.rows.count("jobqueue_limit_place") < 500) {
			this.nanos.incrementAndGet();
		}
		ids.subList(0, 499).forEach((id) -> assertThat(this.store.cancel(id)).isTrue());
		ack(first);
		assertThat(settleFreed()).isOne();
		claimOf(ids.subList(499, 500));
	}

	@Test
	void aJobThatSomebodyHasLockedKeepsItsTurnAndNobodyElse() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		this.limits.save(limit().running(1));
		ClaimedJob first = claimOf(calls("a", 1));
		List<Long> ids = calls("a", 3);
		assertThat(claimAll(100)).isEmpty();
		ClaimedJob second;
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids.subList(0, 1));
			ack(first);
			settleFreed();
			second = claimOf(ids.subList(1, 2));
		}
		ack(second);
		settleFreed();
		claimOf(ids.subList(0, 1));
	}

	@Test
	void thoseWithAKeyDoNotWaitForTheSharedAllowance() {
		this.limits.save(limit().running(1));
		calls(3);
		assertThat(claimAll(100)).hasSize(1);
		assertThat(claimAll(100)).isEmpty();
		calls("a", 1);
		assertThat(this.pauses.regarded(due()).stream().filter(ReadyRange::isDue).map(ReadyRange::typeId))
			.containsExactly(-this.types.get("call"));
	}

	@Test
	void rowsOfOtherProgramsDoNotStopAKey() {
		this.limits.save(limit().running(2));
		List<Long> ids = calls("a", 5);
		List<ClaimedJob> running = claimAll(100);
		assertThat(claimAll(100)).isEmpty();
		List<Long> fences = List.of(Long.MIN_VALUE, Long.MAX_VALUE, 0L);
		for (int i = 0; i < fences.size(); i++) {
			this.rows
				.sql("INSERT INTO jobqueue_limit_running (limit_id, limit_key, job_id, fence) "
						+ "VALUES (:limit, 'a', :job, :fence)")
				.param("limit", limitId())
				.param("job", ids.get(2 + i))
				.param("fence", fences.get(i))
				.update();
		}
		long ready = calls("a", 1).get(0);
		this.rows.sql("UPDATE jobqueue_limit_running SET job_id = :job WHERE fence < 0").param("job", ready).update();
		this.rows.set(ids.get(2), "fence = 9223372036854775806");
		this.rows.set(ids.get(3), "fence = -9223372036854775808");
		running.forEach(this::ack);
		settleFreed();
		sweep();
		claimAll(100);
		sweep();
		assertThat(this.rows.count("jobqueue_limit_place") + this.rows.count("jobqueue_job")).isLessThan(4);
		claimAll(100);
		assertThat(List.of(job(ids.get(2)).state(), job(ids.get(3)).state())).containsOnly(JobState.DEAD);
	}

	@Test
	void aBacklogOfAFullKeyKeepsNoRoomFromOthers() {
		this.limits.save(limit().running(1));
		enqueueAll(IntStream.range(0, 1_000)
			.mapToObj((number) -> NewJob.of("call", "p").limitKey("full").priority(9))
			.toList());
		claimAll(1);
		List<Long> plain = enqueue(8);
		assertThat(ids(claimOnce(8))).isEqualTo(plain);
		assertThat(this.pauses.takeMoved()).as("there may be more").isTrue();
		assertThat(this.pauses.takeMoved()).isFalse();
		long behind = enqueue(NewJob.of("call", "p").limitKey("free").priority(9));
		List<Long> claimed = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			claimed.addAll(ids(claimOnce(8)));
		}
		assertThat(claimed).containsExactly(behind);
	}

	@Test
	void soDoMisplacedJobs() {
		this.limits.save(limit().running(1));
		calls(100).forEach((id) -> this.rows.set(id, "type_id = 0"));
		List<Long> plain = enqueue(3);
		assertThat(ids(claimOnce(8))).containsAll(plain).hasSize(3);
	}

	@Test
	void misplacedJobsThatNobodyTakesAreSortedOut() {
		this.limits.save(limit().running(1));
		List<Long> ids = new ArrayList<>(calls(2));
		ids.addAll(calls("a", 2));
		ids.forEach((id) -> this.rows.set(id, "type_id = 0, available_at = '2020-01-01 00:00:00'"));
		assertThat(this.store.sortOut(range("default", 4), this.types.keySet(), Duration.ofSeconds(5), 100))
			.containsExactly("call");
		int call = this.types.get("call");
		assertThat(ids.stream().map(this::typeId)).containsExactly(call, call, -call, -call);
	}

	private int typeId(long id) {
		return this.rows.sql("SELECT type_id FROM jobqueue_job WHERE id = :id")
			.param("id", id)
			.query(Integer.class)
			.single();
	}

	@Test
	void jobsOfALockedKeyDoNotHideOthers() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		this.limits.save(limit().running(2));
		ack(claimOf(calls("a", 1)));
		calls("a", 60);
		long other = calls("b", 1).get(0);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_allowance", "limit_id = " + limitId() + " AND limit_key", List.of("a"));
			assertThat(ids(claimAll(8))).containsExactly(other);
		}
		assertThat(claimAll(8)).hasSize(2);
	}

	@Test
	void nodesThatOnlyEnqueueKnowOfLimits() {
		JdbcJobStore producer = store(settings());
		long id = producer.enqueue(List.of(text(NewJob.of("call").limitKey("a")))).ids().get(0);
		assertThat(typeId(id)).isEqualTo(-this.types.get("call"));
	}

	@Test
	void aJobThatIsTriedAgainStaysWhereItsLimitIsRegarded() {
		this.limits.save(limit().running(2));
		long id = calls("a", 1).get(0);
		ClaimedJob job = claimOf(List.of(id));
		this.store.finish(List.of(new Finish.Retry(job.claim(), Duration.ZERO, failure())));
		assertThat(typeId(id)).isEqualTo(-this.types.get("call"));
		job = claimSoon();
		this.store.finish(List.of(new Finish.Release(job.claim(), Duration.ZERO)));
		assertThat(typeId(id)).as("its number may have been wrong").isZero();
		job = claimSoon();
		this.store.finish(List.of(new Finish.Rescue(job.claim(), failure())));
		assertThat(typeId(id)).isEqualTo(-this.types.get("call"));
	}

	/**
	 * Where a read has just been slow, claims begin at the start again a moment later.
	 */
	private ClaimedJob claimSoon() {
		return Awaitility.await().until(() -> claimAll(9), (jobs) -> !jobs.isEmpty()).get(0);
	}

	@Test
	void startsAreBookedFromTheTimeAtWhichTheyTakePlace() {
		this.limits.save(limit().starts(10, Duration.ofMinutes(10)));
		LimitKey key = LimitKey.shared(limitId());
		long before = nowNanos();
		new Allowances(this.database).save(List
			.of(new Booking(key, before - 1_000_000_000L, 0, 5_000_000_000L, LocalDateTime.of(9999, 12, 31, 0, 0))));
		assertThat(this.rows.sql("SELECT booked_until FROM jobqueue_allowance").query(Long.class).single())
			.isGreaterThanOrEqualTo(before + 5_000_000_000L);
	}

	private long nowNanos() {
		return this.database.sql(
				"SELECT 1000 * TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', {now}) FROM (SELECT 1 AS one) once")
			.query(Long.class)
			.single();
	}

	@Test
	void aLimitIsNotOffBecauseOfABlank() {
		this.limits.save(limit().running(1));
		calls(3);
		this.rows.sql("UPDATE jobqueue_type SET limit_name = CONCAT(limit_name, ' ') WHERE name = 'call'").update();
		claimAll(100);
		claimAll(100);
		assertThat(running("type = 'call'")).isLessThanOrEqualTo(1);
	}

	@Test
	void aLimitIsNotOffBecauseOfTheNumberOfAnotherType() {
		this.limits.save(limit().running(1));
		calls(5).forEach((id) -> this.rows.set(id, "type_id = " + this.types.get("any")));
		claimAll(100);
		claimAll(100);
		assertThat(running("type = 'call'")).isOne();
	}

	@Test
	void anOldNodeThatStartsAgainDoesNotTakeALimitAway() {
		register(Map.of("call", "", "any", ""));
		assertThat(limitOf("call")).isEqualTo(LIMIT);
		assertThat(this.store.keepLimits(rules(""))).isTrue();
		assertThat(limitOf("call")).isEqualTo(LIMIT);
		othersAreGone();
		assertThat(this.store.keepLimits(rules(""))).isTrue();
		assertThat(limitOf("call")).isEmpty();
		assertThat(this.store.keepLimits(rules(LIMIT))).isTrue();
		assertThat(limitOf("call")).isEqualTo(LIMIT);
	}

	/** As a session writes it that is not strict. */
	@Test
	void aDeclarationWhoseTimeCannotBeReadIsTheOldest() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 has no such times");
		new DeclareLimits(this.limits, List.of(limit().running(5)), 0).runOnce();
		try (Connection lax = schema().connect(); Statement statement = lax.createStatement()) {
			statement.execute("SET SESSION sql_mode = ''");
			statement.executeUpdate("UPDATE jobqueue_declaration SET first_seen_at = '0000-00-00' WHERE kind = 1");
		}
		assertThat(new DeclareLimits(this.limits, List.of(limit().running(6)), 0).runOnce()).isOne();
		assertThat(new DeclareLimits(this.limits, List.of(limit().running(5)), 0).runOnce()).isZero();
	}

	@Test
	void ofTwoLimitsOfATypeThatOfTheNewerNodesHoldsWhileTheyLive() {
		assertThat(limitOf("call")).isEqualTo(LIMIT);
		register(Map.of("call", "another"));
		assertThat(limitOf("call")).isEqualTo("another");
		this.store.keepLimits(rules(LIMIT));
		assertThat(limitOf("call")).isEqualTo("another");
		register(Map.of("call", LIMIT));
		assertThat(limitOf("call")).as("an older node starts again").isEqualTo("another");
		othersAreGone();
		this.store.keepLimits(rules(LIMIT));
		assertThat(limitOf("call")).as("the newer ones were rolled back").isEqualTo(LIMIT);
	}

	private static Map<String, TypeRules> rules(String limit) {
		return Map.of("call", new TypeRules(RetryPolicy.DEFAULT, OnDead.CONTINUE, limit));
	}

	@Test
	void aTableOfTypesThatWasEmptiedIsNoticed() {
		this.limits.save(limit().running(1));
		calls(3);
		this.rows.sql("DELETE FROM jobqueue_type").update();
		assertThat(this.store.ready(0, Set.of(this.types.get("call")), false).unknownTypes())
			.containsExactly(this.types.get("call"));
		assertThat(this.store.keepLimits(rules(LIMIT))).as("they are to be registered again").isFalse();
		assertThat(register(Map.of("call", LIMIT))).containsEntry("call", this.types.get("call"));
		assertThat(this.store.ready(0, Set.of(this.types.get("call")), false).unknownTypes()).isEmpty();
		assertThat(claimAll(100)).hasSize(1);
	}

	@Test
	void anAllowanceThatIsNotThereIsAdded() {
		this.limits.save(limit().running(1));
		calls(2);
		calls("a", 2);
		this.rows.sql("DELETE FROM jobqueue_allowance").update();
		assertThat(claimAll(100)).hasSize(2);
		assertThat(claimAll(100)).isEmpty();
		this.rows.sql("DELETE FROM jobqueue_allowance").update();
		sweep();
		assertThat(claimAll(100)).isEmpty();
	}

	@Test
	void aBacklogOfOneRangeKeepsNoOtherRangeFromBeingLookedAt() {
		this.limits.save(limit().running(1));
		claimOf(calls("full", 1));
		// More than one claim moves, however often it looks.
		enqueueAll(IntStream.range(0, 8_000)
			.mapToObj((number) -> NewJob.of("call", "p").limitKey("full").priority(9))
			.toList());
		List<Long> plain = enqueue(4);
		assertThat(ids(claimOnce(8))).containsAll(plain);
	}

	@Test
	void aKeyThatWasUsedSinceItWasSeenIsNotForgotten() {
		this.limits.save(limit().starts(10, Duration.ofMinutes(10)).burst(1));
		ack(claimOf(calls("a", 1)));
		timePasses(Duration.ofSeconds(61));
		this.rows.sql("UPDATE jobqueue_allowance SET changed_at = '2020-01-01 00:00:00'").update();
		WatchedDataSource watched = new WatchedDataSource(dataSource());
		AtomicBoolean once = new AtomicBoolean();
		watched.beforeBegin(() -> {
			if (once.compareAndSet(false, true)) {
				ack(claimOf(calls("a", 1)));
			}
		});
		new JdbcLimits(new Database(watched)).forget(null, 100);
		calls("a", 1);
		assertThat(claimAll(100)).as("a minute later").isEmpty();
	}

	@Test
	void whereMoreMayStartThanAClaimHasTakenOthersFollow() {
		this.limits.save(limit().starts(10, Duration.ofMinutes(10)).burst(2));
		calls("a", 6);
		assertThat(claimAll(100)).hasSize(2);
		assertThat(claimAll(100)).isEmpty();
		timePasses(Duration.ofSeconds(61));
		assertThat(this.limits.settle(this.limits.due(10)).ready()).isOne();
		timePasses(Duration.ofSeconds(61));
		assertThat(claimAll(100)).hasSize(1);
		assertThat(this.pauses.takeFreed()).as("another one may start").containsExactly(new LimitKey(limitId(), "a"));
	}

	@Test
	void aJobThatIsReadyLaterDoesNotKeepAPlaceUntilThen() {
		this.limits.save(limit().running(1));
		ClaimedJob first = claimOf(calls("a", 1));
		List<Long> ids = calls("a", 2);
		assertThat(claimAll(100)).isEmpty();
		this.rows.set(ids.get(0), "available_at = '2099-01-01 00:00:00'");
		ack(first);
		settleFreed();
		assertThat(claimAll(100)).isEmpty();
		sweep();
		claimOf(ids.subList(1, 2));
	}

	@Test
	void aFenceThatCannotGrowStopsNoSortingOut() {
		long id = enqueue(NewJob.of("nobody"));
		this.rows.set(id, "fence = 9223372036854775807, available_at = '2020-01-01 00:00:00'");
		assertThat(this.store.sortOut(range("default", 4), Set.of("any"), Duration.ofSeconds(5), 100))
			.containsExactly("nobody");
	}

	@Test
	void nobodyWaitsForARowOfATypeThatSomebodyHasLocked() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_type", "id", List.of(this.types.get("call")));
			assertThat(
					CompletableFuture.supplyAsync(() -> this.store.keepLimits(rules(LIMIT))).get(20, TimeUnit.SECONDS))
				.isTrue();
		}
	}

	@Test
	void keysThatAreLockedAreNotDue() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		this.limits.save(limit().starts(10, Duration.ofMinutes(10)).burst(1));
		for (String key : List.of("a", "b")) {
			calls(key, 2);
		}
		claimAll(100);
		timePasses(Duration.ofSeconds(61));
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_allowance", "limit_id = " + limitId() + " AND limit_key", List.of("a"));
			assertThat(this.limits.due(1)).containsExactly(new LimitKey(limitId(), "b"));
		}
	}

}
