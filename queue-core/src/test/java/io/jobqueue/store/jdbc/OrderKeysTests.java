package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.jobqueue.BlockedKey;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.WaitReason;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Agenda.KeysInUse;
import io.jobqueue.store.OrderKeys;
import io.jobqueue.store.Queues;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Jobs with order keys: one of each key at a time.
 */
@ForEachDatabase
class OrderKeysTests extends OrderStoreTests {

	@Test
	void jobsOfOneKeyRunOneAfterAnother() {
		List<Long> ids = keyed(KEY, 4);
		assertThat(claim(10)).isEmpty();
		for (long id : ids) {
			Claim claim = next();
			assertThat(claim.id()).isEqualTo(id);
			settle();
			assertThat(claim(10)).as("one at a time").isEmpty();
			ack(claim);
			assertThat(claim(10)).as("not before somebody has seen to the key").isEmpty();
		}
		settle();
		assertThat(this.rows.count("jobqueue_job")).isZero();
		assertThat(this.rows.count("jobqueue_order_place")).isZero();
		assertThat(this.rows.count("jobqueue_order_change")).isZero();
	}

	@Test
	void jobsOfOtherKeysRunBesideThem() {
		List<Long> one = keyed("one", 2);
		List<Long> other = keyed("other", 2);
		long plain = enqueue(NewJob.of("any"));
		assertThat(this.keys.settle().ready())
			.containsExactly(new OrderKeys.NowReady("any", "default", NewJob.DEFAULT_PRIORITY));
		assertThat(claimIds(10)).containsExactlyInAnyOrder(one.get(0), other.get(0), plain);
	}

	@Test
	void aKeyIsForAllTypesQueuesAndPriorities() {
		long first = enqueue(NewJob.of("a").queue("slow").priority(0).orderKey(KEY));
		long second = enqueue(NewJob.of("b").queue("quick").priority(9).orderKey(KEY));
		Claim claim = next();
		assertThat(claim.id()).isEqualTo(first);
		ack(claim);
		assertThat(next().id()).isEqualTo(second);
	}

	@Test
	void keysAreComparedAsTheyAre() {
		keyed("a", 1);
		keyed("A", 1);
		keyed("ä", 1);
		keyed("x".repeat(191), 1);
		settle();
		assertThat(claim(10)).hasSize(4)
			.extracting(ClaimedJob::orderKey)
			.containsExactlyInAnyOrder("a", "A", "ä", "x".repeat(191));
	}

	@Test
	void aJobThatIsTriedAgainKeepsItsPlace() {
		List<Long> ids = keyed(KEY, 2);
		Claim claim = next();
		this.store.finish(List.of(new Finish.Retry(claim, Duration.ofHours(1), failure())));
		settle();
		assertThat(claim(10)).isEmpty();
		this.rows.set(claim.id(), "available_at = '2020-01-01 00:00:00'");
		claim = next();
		assertThat(claim.id()).isEqualTo(ids.get(0));
		this.store.finish(List.of(new Finish.Rescue(claim, failure())));
		assertThat(next().id()).isEqualTo(ids.get(0));
	}

	@Test
	void aDelayedJobIsWaitedFor() {
		long first = enqueue(NewJob.of("any").delay(Duration.ofHours(1)).orderKey(KEY));
		keyed(KEY, 1);
		settle();
		assertThat(claim(10)).isEmpty();
		assertThat(job(first).state()).isEqualTo(JobState.READY);
		this.store.reschedule(first, Instant.EPOCH);
		assertThat(next().id()).isEqualTo(first);
	}

	@Test
	void aJobThatWaitsIsRescheduledAndWaitsOn() {
		List<Long> ids = keyed(KEY, 2);
		Claim first = next();
		Instant later = Instant.parse("2150-01-01T00:00:00Z");
		assertThat(this.store.reschedule(ids.get(1), later)).isTrue();
		assertThat(job(ids.get(1)).state()).isEqualTo(JobState.WAITING);
		ack(first);
		settle();
		assertThat(job(ids.get(1)).state()).isEqualTo(JobState.READY);
		assertThat(job(ids.get(1)).availableAt()).isEqualTo(later);
	}

	@Test
	void theNextJobIsBehindTheOnesThatAreDueNow() {
		List<Long> ids = keyed(KEY, 2);
		this.rows.set(ids.get(1), "available_at = '2020-01-01 00:00:00'");
		Claim first = next();
		long plain = enqueue(NewJob.of("any"));
		ack(first);
		settle();
		assertThat(claimIds(10)).as("claims may have passed an earlier place").containsExactly(plain, ids.get(1));
	}

	@Test
	void aJobThatIsCommittedLateRunsAtItsPlace() throws Exception {
		long late;
		List<Long> ids;
		Claim claim;
		try (Connection connection = schema().connect(); Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.executeUpdate("INSERT INTO jobqueue_job (type, state, order_key) VALUES ('any', 9, 'order-42')",
					Statement.RETURN_GENERATED_KEYS);
			var generated = statement.getGeneratedKeys();
			generated.next();
			late = generated.getLong(1);
			statement.executeUpdate(
					"INSERT INTO jobqueue_order_place (order_key, job_id) VALUES ('order-42', " + late + ")");
			statement.executeUpdate(
					"INSERT INTO jobqueue_order_change (kind, job_id, order_key) VALUES (1, " + late + ", 'order-42')");
			ids = keyed(KEY, 2);
			claim = next();
			assertThat(claim.id()).isEqualTo(ids.get(0));
			connection.commit();
		}
		settle();
		assertThat(claim(10)).isEmpty();
		ack(claim);
		claim = next();
		assertThat(claim.id()).isEqualTo(late);
		ack(claim);
		assertThat(next().id()).isEqualTo(ids.get(1));
	}

	@Test
	void whoIsCancelledWhileItWaitsLeavesItsPlace() {
		List<Long> ids = keyed(KEY, 4);
		Claim first = next();
		assertThat(this.store.cancel(ids.get(1))).isTrue();
		assertThat(this.store.cancel(List.of(ids.get(2))).cancelled()).containsExactly(ids.get(2));
		assertThat(job(ids.get(1)).state()).isEqualTo(JobState.CANCELLED);
		settle();
		assertThat(claim(10)).isEmpty();
		assertThat(this.rows.count("jobqueue_order_place")).isOne();
		ack(first);
		assertThat(next().id()).isEqualTo(ids.get(3));
	}

	@Test
	void whoIsCancelledAtTheHeadLetsTheNextOneRun() {
		List<Long> ids = keyed(KEY, 3);
		settle();
		assertThat(this.store.cancel(ids.get(0))).isTrue();
		Claim second = next();
		assertThat(second.id()).isEqualTo(ids.get(1));
		assertThat(this.store.cancel(second.id())).isTrue();
		assertThat(next().id()).isEqualTo(ids.get(2));
		assertThat(this.store.finish(List.of(new Finish.Ack(second)))).as("a stale ack").containsExactly(second);
		settle();
		assertThat(claim(10)).isEmpty();
	}

	@Test
	void whoExpiresLetsTheNextOneRun() {
		List<Long> ids = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			ids.add(enqueue(NewJob.of("any").expiresAfter(Duration.ofHours(1)).orderKey(KEY)));
		}
		settle();
		this.rows.set(ids.get(0), "expires_at = '2020-01-01 00:00:00'");
		this.rows.set(ids.get(1), "expires_at = '2020-01-01 00:00:00'");
		assertThat(claim(10)).as("the claim has archived them, that at the head and that which waits").isEmpty();
		assertThat(job(ids.get(0)).state()).isEqualTo(JobState.EXPIRED);
		assertThat(job(ids.get(1)).state()).isEqualTo(JobState.EXPIRED);
		assertThat(next().id()).isEqualTo(ids.get(2));
	}

	@Test
	void theNextOneRunsAfterADeadOne() {
		onDead(OnDead.CONTINUE);
		List<Long> ids = keyed(KEY, 2);
		die(next());
		assertThat(next().id()).isEqualTo(ids.get(1));
		assertThat(this.keys.blocked(10)).isEmpty();
	}

	@Test
	void aDeadOneBlocksItsKeyUntilItIsRedriven() {
		onDead(OnDead.BLOCK);
		List<Long> ids = keyed(KEY, 3);
		long other = keyed("other");
		settle();
		claim(10).forEach((job) -> {
			if (job.claim().id() == ids.get(0)) {
				die(job.claim());
			}
		});
		settle();
		assertThat(claim(10)).isEmpty();
		assertThat(job(ids.get(1)).waitingFor()).contains(new WaitReason(WaitReason.Kind.BLOCKED, KEY, ids.get(0)));
		List<BlockedKey> blocked = this.keys.blocked(10);
		assertThat(blocked).hasSize(1);
		assertThat(blocked.get(0).orderKey()).isEqualTo(KEY);
		assertThat(blocked.get(0).jobId()).isEqualTo(ids.get(0)).isNotEqualTo(other);
		assertThat(blocked.get(0).blockedAt()).isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
		assertThat(blocked.get(0).error().message()).isEqualTo(failure().message());
		sweep();
		keyed(KEY, 1);
		settle();
		assertThat(claim(10)).as("nor does a new one run").isEmpty();

		assertThat(this.store.redrive(List.of(ids.get(0)))).isOne();
		assertThat(job(ids.get(0)).state()).isEqualTo(JobState.WAITING);
		Claim claim = next();
		assertThat(claim.id()).isEqualTo(ids.get(0));
		assertThat(this.keys.blocked(10)).isEmpty();
		ack(claim);
		assertThat(next().id()).isEqualTo(ids.get(1));
	}

	@Test
	void aBlockedKeyIsUnblocked() {
		onDead(OnDead.BLOCK);
		List<Long> ids = keyed(KEY, 2);
		die(next());
		settle();
		assertThat(this.keys.unblock("another", null)).isFalse();
		assertThat(this.keys.unblock(KEY, null)).isTrue();
		assertThat(this.keys.unblock(KEY, null)).isFalse();
		assertThat(this.keys.blocked(10)).isEmpty();
		Claim claim = claim(10).get(0).claim();
		assertThat(claim.id()).isEqualTo(ids.get(1));
		die(claim);
		settle();
		assertThat(this.keys.blocked(10)).as("it may be blocked again").hasSize(1);
	}

	@Test
	void aKeyStaysBlockedThoughNothingIsLeftOfTheDeadOne() {
		onDead(OnDead.BLOCK);
		List<Long> ids = keyed(KEY, 2);
		die(next());
		settle();
		this.rows.sql("DELETE FROM jobqueue_archive").update();
		this.rows.sql("DELETE FROM jobqueue_error").update();
		onDead(OnDead.CONTINUE);
		keyed(KEY, 1);
		settle();
		sweep();
		assertThat(claim(10)).isEmpty();
		assertThat(this.keys.blocked(10)).hasSize(1).extracting(BlockedKey::error).containsOnlyNulls();
		assertThat(this.keys.unblock(KEY, null)).isTrue();
		assertThat(claimIds(10)).containsExactly(ids.get(1));
	}

	@Test
	void thoseThatWaitFollowADeadOne() {
		onDead(OnDead.PARK);
		List<Long> ids = keyed(KEY, 1_203);
		die(next());
		long later = -1;
		for (int i = 0; i < 10 && later < 0; i++) {
			settle();
			if (this.rows.count("jobqueue_archive") > 1) {
				later = keyed(KEY);
			}
		}
		assertThat(this.rows.count("jobqueue_archive")).isLessThan(1_203);
		assertThat(later).as("parked in several steps").isPositive();
		for (int i = 0; i < 10; i++) {
			settle();
		}
		assertThat(this.rows.count("jobqueue_archive")).isEqualTo(1_203);
		assertThat(job(ids.get(700)).state()).isEqualTo(JobState.DEAD);
		assertThat(job(ids.get(700)).error().type()).isEqualTo("parked");
		Claim claim = claim(10).get(0).claim();
		assertThat(claim.id()).as("what came later runs").isEqualTo(later);
		ack(claim);

		this.store.redrive(ids.subList(0, 3));
		for (long id : ids.subList(0, 3)) {
			Claim again = next();
			assertThat(again.id()).as("in their order").isEqualTo(id);
			ack(again);
		}
	}

	@Test
	void aRedrivenJobTakesTheFirstPlaceButOvertakesNoRunningOne() {
		List<Long> ids = keyed(KEY, 3);
		die(next());
		Claim second = next();
		this.store.redrive(List.of(ids.get(0)));
		settle();
		assertThat(claim(10)).isEmpty();
		ack(second);
		Claim first = next();
		assertThat(first.id()).isEqualTo(ids.get(0));
		ack(first);
		assertThat(next().id()).isEqualTo(ids.get(2));
	}

	@Test
	void whoDiesWhileItWaitsAndIsRedrivenAtOnceKeepsAPlace() {
		List<Long> ids = keyed(KEY, 2);
		Claim first = next();
		// As a row that somebody has made invalid: it ends while it waits.
		this.rows.set(ids.get(1), "state = 1, session_id = " + SESSION + ", fence = 1");
		die(new Claim(ids.get(1), 1, SESSION));
		this.rows.sql("UPDATE jobqueue_order_change SET waited = 1").update();
		this.store.redrive(List.of(ids.get(1)));
		settle();
		assertThat(this.rows.count("jobqueue_order_place")).isOne();
		ack(first);
		assertThat(next().id()).isEqualTo(ids.get(1));
	}

	@Test
	void nobodyWaitsForAJobThatSomebodyHasLocked() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		List<Long> ids = keyed(KEY, 2);
		long other = keyed("other");
		Claim first = next0(2, ids.get(0));
		ack(first);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", List.of(ids.get(1)));
			OrderKeys.Settled settled = this.keys.settle();
			assertThat(settled.ready()).isEmpty();
			assertThat(settled.left()).isOne();
			assertThat(claim(10)).isEmpty();
		}
		assertThat(next().id()).isEqualTo(ids.get(1)).isNotEqualTo(other);
	}

	/** Of several that are claimed, the claim of one. */
	private Claim next0(int expected, long id) {
		settle();
		List<ClaimedJob> jobs = claim(10);
		assertThat(jobs).hasSize(expected);
		return jobs.stream().map(ClaimedJob::claim).filter((claim) -> claim.id() == id).findFirst().orElseThrow();
	}

	@Test
	void nobodyWaitsForAKeyThatSomebodyHasLocked() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		List<Long> ids = keyed(KEY, 3);
		Claim first = next();
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_order_key", "order_key", List.of(KEY));
			keyed(KEY, 1);
			ack(first);
			long other = keyed("other");
			assertThat(this.store.cancel(ids.get(2))).isTrue();
			assertThat(settle()).isOne();
			assertThat(claimIds(10)).containsExactly(other);
		}
		assertThat(next().id()).isEqualTo(ids.get(1));
	}

	@ParameterizedTest
	@ValueSource(
			ints = { TransactionDefinition.ISOLATION_READ_COMMITTED, TransactionDefinition.ISOLATION_REPEATABLE_READ })
	void producersOfOneKeyDoNotWaitForEachOther(int isolation) throws Exception {
		keyed(KEY, 1);
		settle();
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource()));
		transaction.setIsolationLevel(isolation);
		ExecutorService other = Executors.newSingleThreadExecutor();
		try {
			transaction.executeWithoutResult((status) -> {
				keyed(KEY, 3);
				Future<List<Long>> beside = other.submit(() -> transaction.execute((inner) -> keyed(KEY, 3)));
				assertThat(get(beside)).hasSize(3);
				settle();
				keyed(KEY, 3);
			});
		}
		finally {
			other.shutdownNow();
		}
		assertThat(this.rows.count("jobqueue_order_place")).isEqualTo(9);
	}

	private static <T> T get(Future<T> future) {
		try {
			return future.get(20, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new AssertionError("Waited for another producer", ex);
		}
	}

	@Test
	void whatIsRolledBackHasNoPlace() {
		transaction().executeWithoutResult((status) -> {
			keyed(KEY, 3);
			status.setRollbackOnly();
		});
		assertThat(this.rows.count("jobqueue_order_place")).isZero();
		assertThat(this.keys.settle()).isEqualTo(OrderKeys.Settled.NOTHING);
	}

	@Test
	void anAckInTheHandlersTransactionLetsTheNextOneRun() {
		List<Long> ids = keyed(KEY, 2);
		Claim first = next();
		transaction().executeWithoutResult((status) -> {
			assertThat(this.store.ackInTransaction(first, true)).isTrue();
			status.setRollbackOnly();
		});
		settle();
		assertThat(claim(10)).isEmpty();
		transaction().executeWithoutResult((status) -> assertThat(this.store.ackInTransaction(first, true)).isTrue());
		assertThat(next().id()).isEqualTo(ids.get(1));
	}

	@Test
	void waitingJobsAreFoundAndCounted() {
		List<Long> ids = keyed(KEY, 3);
		assertThat(job(ids.get(0)).waitingFor()).contains(new WaitReason(WaitReason.Kind.ORDER, KEY, null));
		settle();
		assertThat(job(ids.get(0)).waitingFor()).isEmpty();
		assertThat(job(ids.get(0)).orderKey()).isEqualTo(KEY);
		assertThat(job(ids.get(1)).state()).isEqualTo(JobState.WAITING);
		assertThat(job(ids.get(1)).waitingFor()).contains(new WaitReason(WaitReason.Kind.ORDER, KEY, ids.get(0)));
		Queues.Depth depth = this.queues.depths().get(0);
		assertThat(depth.ready()).isOne();
		assertThat(depth.waiting()).isEqualTo(2);
		ack(next());
		assertThat(job(ids.get(0)).orderKey()).as("archived").isEqualTo(KEY);
		assertThat(job(ids.get(0)).waitingFor()).isEmpty();
	}

	@Test
	void aUniqueKeyIsHeldByAJobThatWaits() {
		keyed(KEY, 1);
		long id = enqueue(NewJob.of("any").uniqueKey("u").orderKey(KEY));
		assertThat(enqueue(NewJob.of("any").uniqueKey("u").orderKey(KEY))).isEqualTo(id);
		assertThat(this.store.liveJobOfKey("any", "u")).contains(id);
		assertThat(this.rows.count("jobqueue_order_place")).isEqualTo(2);
	}

	@Test
	void jobsThatOtherProgramsInsertAreFoundByASweep() {
		this.rows.sql("INSERT INTO jobqueue_job (type, state, order_key) VALUES ('any', 9, 'sql'), ('any', 9, 'sql')")
			.update();
		this.rows.sql("INSERT INTO jobqueue_job (type, state) VALUES ('keyless', 9)").update();
		assertThat(settle()).isZero();
		sweep();
		settle();
		List<ClaimedJob> jobs = claim(10);
		assertThat(jobs).hasSize(2).extracting(ClaimedJob::type).containsExactlyInAnyOrder("any", "keyless");
		jobs.forEach((job) -> ack(job.claim()));
		assertThat(next()).isNotNull();
	}

	@Test
	void aSweepFindsWhatHasLostItsChange() {
		List<Long> ids = keyed(KEY, 3);
		this.rows.sql("DELETE FROM jobqueue_order_change").update();
		assertThat(settle()).isZero();
		sweep();
		Claim claim = claim(10).get(0).claim();
		assertThat(claim.id()).isEqualTo(ids.get(0));
		sweep();
		assertThat(claim(10)).isEmpty();
		// As somebody does who knows nothing of order.
		this.rows.sql("DELETE FROM jobqueue_job WHERE id IN (" + ids.get(0) + ", " + ids.get(1) + ")").update();
		sweep();
		sweep();
		assertThat(claimIds(10)).containsExactly(ids.get(2));
	}

	@Test
	void anIdThatAnotherJobHasGotKeepsNoKeyClosed() {
		List<Long> ids = keyed(KEY, 2);
		settle();
		this.rows.sql("DELETE FROM jobqueue_job WHERE id = " + ids.get(0)).update();
		this.rows.sql("INSERT INTO jobqueue_job (id, type) VALUES (" + ids.get(0) + ", 'other')").update();
		sweep();
		assertThat(claimIds(10)).as("the other job is no head of the key").contains(ids.get(0));
		keyed(KEY, 1);
		assertThat(next().id()).isEqualTo(ids.get(1));
	}

	@Test
	void keysWithoutJobsAreForgotten() {
		keyed(KEY, 2);
		keyed("done", 1);
		settle();
		claim(10).stream().filter((job) -> "done".equals(job.orderKey())).forEach((job) -> ack(job.claim()));
		settle();
		sweep();
		assertThat(this.rows.count("jobqueue_order_key")).as("not within a minute").isEqualTo(2);
		this.rows.sql("UPDATE jobqueue_order_key SET changed_at = '2020-01-01 00:00:00'").update();
		sweep();
		assertThat(this.rows.sql("SELECT order_key FROM jobqueue_order_key").query(String.class).list())
			.containsExactly(KEY);
	}

	@Test
	void aSweepCostsOneReadWhereNobodyHasKeys() {
		ReadAgenda agenda = new ReadAgenda(this.database);
		assertThat(agenda.get().keys()).isEqualTo(new KeysInUse(false, false, false, false, false));
		keyed(KEY, 1);
		assertThat(agenda.get().keys()).isEqualTo(new KeysInUse(true, true, false, false, false));
	}

	@Test
	void noTwoJobsOfAKeyRunAtOnceAndNoneIsLostWhateverHappens() throws Exception {
		int producers = 3;
		int workers = 3;
		int jobs = 240;
		List<String> names = List.of("a", "b", "c", "d");
		ExecutorService threads = Executors.newFixedThreadPool(producers + workers);
		Map<String, List<Long>> ended = new HashMap<>();
		names.forEach((name) -> ended.put(name, Collections.synchronizedList(new ArrayList<>())));
		Set<String> running = Collections.synchronizedSet(new java.util.HashSet<>());
		List<String> problems = Collections.synchronizedList(new ArrayList<>());
		try {
			List<Future<?>> enqueued = new ArrayList<>();
			for (int i = 0; i < producers; i++) {
				enqueued.add(threads.submit(() -> {
					for (int n = 0; n < jobs / producers; n++) {
						keyed(names.get(ThreadLocalRandom.current().nextInt(names.size())), 1);
					}
				}));
			}
			List<Future<?>> worked = new ArrayList<>();
			for (int i = 0; i < workers; i++) {
				worked.add(threads.submit(() -> {
					long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
					while (ended.values().stream().mapToInt(List::size).sum() < jobs && System.nanoTime() < until) {
						this.keys.settle();
						for (ClaimedJob job : claim(2)) {
							String key = job.orderKey();
							if (!running.add(key)) {
								problems.add("two jobs of " + key + " at once");
							}
							running.remove(key);
							if (ThreadLocalRandom.current().nextInt(4) == 0) {
								this.store.finish(List.of(new Finish.Retry(job.claim(), Duration.ZERO, failure())));
							}
							else {
								ended.get(key).add(job.claim().id());
								this.store.finish(List.of(new Finish.Ack(job.claim())));
							}
						}
					}
				}));
			}
			for (Future<?> future : enqueued) {
				future.get(60, TimeUnit.SECONDS);
			}
			for (Future<?> future : worked) {
				future.get(90, TimeUnit.SECONDS);
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(problems).isEmpty();
		assertThat(ended.values().stream().mapToInt(List::size).sum()).isEqualTo(jobs);
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

}
