package io.jobqueue.store.jdbc;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.WaitReason;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.OrderKeys;
import io.jobqueue.store.jdbc.order.JdbcOrderKeys;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.WatchedDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Order keys with many dead jobs, beside rows that other programs have written or
 * deleted, and in races.
 */
@ForEachDatabase
class OrderKeyFaultsTests extends OrderStoreTests {

	@Test
	void aKeyWhoseManyJobsFollowADeadOneKeepsNoOtherWaiting() {
		onDead(OnDead.PARK);
		keyed(KEY, 1_500);
		Claim head = next();
		List<Long> others = keyed("other", 3);
		for (int i = 0; i < 4; i++) {
			settle();
		}
		Claim other = next();
		die(head);
		settle();
		ack(other);
		settle();
		other = claim(10).get(0).claim();
		assertThat(other.id()).isEqualTo(others.get(1));
		for (int i = 0; i < 5; i++) {
			settle();
		}
		assertThat(this.rows.count("jobqueue_archive")).isEqualTo(1_500 + 1);
		assertThat(this.rows.count("jobqueue_order_change")).isZero();
	}

	@Test
	void theJobsOfSomeKeysFollowTheirDeadOnesByAndBy() {
		// Each read takes as long as beside an old snapshot.
		AtomicLong clock = new AtomicLong();
		this.keys = new JdbcOrderKeys(this.database, () -> clock.addAndGet(25_000_000));
		onDead(OnDead.PARK);
		keyed("a", 400);
		keyed("b", 400);
		settle();
		claim(10).forEach((job) -> die(job.claim()));
		settle();
		assertThat(this.rows.count("jobqueue_archive")).as("in one transaction").isLessThan(600);
		for (int i = 0; i < 4; i++) {
			settle();
		}
		assertThat(this.rows.count("jobqueue_archive")).isEqualTo(800);
	}

	@Test
	void placesWithoutJobsAreGivenUpTogether() {
		List<Long> ids = keyed(KEY, 1_200);
		this.rows.sql("DELETE FROM jobqueue_job WHERE id < :id").param("id", ids.get(1_199)).update();
		this.rows.sql("DELETE FROM jobqueue_order_change").update();
		sweep();
		assertThat(claimIds(10)).containsExactly(ids.get(1_199));
	}

	@Test
	void aKeyIsNotForgottenWhileADeadJobIsToBlockIt() {
		onDead(OnDead.BLOCK);
		keyed(KEY);
		die(next());
		this.rows.sql("UPDATE jobqueue_order_key SET changed_at = '2020-01-01 00:00:00'").update();
		assertThat(this.keys.forget(null, 100).changed()).isZero();
		settle();
		assertThat(this.keys.blocked(10)).hasSize(1);
	}

	/** It is committed, and a second try would say that nothing is blocked. */
	@Test
	void aKeyIsUnblockedThoughItsNextJobCannotBeLetGoYet() {
		onDead(OnDead.BLOCK);
		List<Long> ids = keyed(KEY, 2);
		die(next());
		settle();
		WatchedDataSource watched = new WatchedDataSource(dataSource());
		watched.beforePlainStatement((sql) -> {
			if (sql.contains(Long.toString(ids.get(1))) && sql.contains("session_id, order_key")) {
				throw new IllegalStateException("For a test: this row cannot be read");
			}
		});
		assertThat(new JdbcOrderKeys(new Database(watched), System::nanoTime).unblock(KEY, ids.get(0))).isTrue();
		assertThat(this.keys.blocked(10)).isEmpty();
		assertThat(claim(10)).isEmpty();
		sweep();
		assertThat(claimIds(10)).containsExactly(ids.get(1));
	}

	@Test
	void aKeyWhoseDeadJobIsRedrivenAndCancelledIsOpen() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		onDead(OnDead.BLOCK);
		List<Long> ids = keyed(KEY, 2);
		die(next());
		settle();
		assertThat(this.keys.blocked(10)).hasSize(1);
		this.store.redrive(ids.subList(0, 1));
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids.subList(0, 1));
			settle();
		}
		assertThat(this.store.cancel(ids.get(0))).isTrue();
		settle();
		settle();
		assertThat(claimIds(10)).containsExactly(ids.get(1));
	}

	@Test
	void changesAreSeenThoughAllQueuesWithJobsArePaused() {
		enqueue(1);
		this.queues.setPaused("default", true);
		enqueue(NewJob.of("any").queue("other").orderKey(KEY));
		assertThat(this.store.ready(0, Set.of(), false).ranges()).isEmpty();
		assertThat(this.store.ready(0, Set.of(), false).ordersChanged()).isTrue();
	}

	@Test
	void aKeyThatFailsAgainAndAgainKeepsNoOtherWaiting() {
		keyed("bad", 2);
		List<Long> ids = keyed("good", 2);
		settle();
		List<Claim> heads = claim(10).stream().map((job) -> job.claim()).toList();
		long poison = heads.get(0).id() + 1;
		WatchedDataSource watched = new WatchedDataSource(dataSource());
		watched.beforePlainStatement((sql) -> {
			if (sql.contains("IN (") && sql.contains(Long.toString(poison)) && sql.contains("session_id, order_key")) {
				throw new IllegalStateException("For a test: this row cannot be read");
			}
		});
		OrderKeys failing = new JdbcOrderKeys(new Database(watched), System::nanoTime);
		heads.forEach(this::ack);
		assertThatThrownBy(failing::settle).hasMessageContaining("For a test");
		assertThat(claimIds(10)).containsExactly(ids.get(1));
		settle();
		assertThat(claimIds(10)).containsExactly(poison);
	}

	@Test
	void aKeyThatFailsAgainAndAgainKeepsNoneOfManyWaiting() {
		long poison = keyed("bad");
		List<Long> good = enqueueAll(
				IntStream.range(0, 600).mapToObj((i) -> NewJob.of("any", "p").orderKey("good-" + i)).toList());
		WatchedDataSource watched = new WatchedDataSource(dataSource());
		watched.beforePlainStatement((sql) -> {
			if (sql.contains("IN (") && sql.contains(Long.toString(poison)) && sql.contains("session_id, order_key")) {
				throw new IllegalStateException("For a test: this row cannot be read");
			}
		});
		OrderKeys failing = new JdbcOrderKeys(new Database(watched), System::nanoTime);
		assertThatThrownBy(failing::settle).hasMessageContaining("For a test");
		assertThatThrownBy(failing::settle).hasMessageContaining("For a test");
		assertThat(claimIds(1_000)).containsExactlyInAnyOrderElementsOf(good);
	}

	@Test
	void aTypeWhoseNameIsTooLongToTellOfItsDeadJobsStopsNothing() {
		String type = "t".repeat(60);
		onDead(OnDead.PARK);
		this.rows.sql("INSERT INTO jobqueue_type (id, name, dead_handler) VALUES (77, :name, 1)")
			.param("name", type)
			.update();
		keyed(KEY);
		long told = enqueue(NewJob.of(type).orderKey(KEY));
		die(next());
		settle();
		assertThat(job(told).state()).isEqualTo(JobState.DEAD);
	}

	@Test
	void aJobUnderThePlaceOfAnotherKeyDoesNotFollowItsDeadOne() {
		onDead(OnDead.PARK);
		keyed(KEY, 2);
		Claim head = next();
		long busy = keyed("other", 2).get(1);
		this.rows.sql("UPDATE jobqueue_order_place SET order_key = :key WHERE job_id = :job")
			.param("key", KEY)
			.param("job", busy)
			.update();
		die(head);
		for (int i = 0; i < 4; i++) {
			settle();
		}
		assertThat(job(busy).state()).isEqualTo(JobState.WAITING);
		assertThat(job(busy).waitingFor().orElseThrow().kind()).isEqualTo(WaitReason.Kind.ORDER);
		sweep();
		settle();
		claim(10).forEach((job) -> ack(job.claim()));
		settle();
		assertThat(claimIds(10)).containsExactly(busy);
	}

	@Test
	void aKeyWhoseFirstJobIsLockedKeepsNoOtherWaitingHoweverManyOfItsJobsEnd() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		List<Long> ids = keyed(KEY, 700);
		List<Long> others = keyed("other", 2);
		settle();
		settle();
		List<Claim> heads = claim(10).stream().map((job) -> job.claim()).toList();
		assertThat(heads).hasSize(2);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids.subList(1, 2));
			ack(heads.get(0));
			this.store.cancel(ids.subList(2, 700));
			ack(heads.get(1));
			for (int i = 0; i < 4; i++) {
				settle();
			}
			assertThat(claimIds(10)).containsExactly(others.get(1));
		}
		settle();
		assertThat(claimIds(10)).containsExactly(ids.get(1));
	}

	@Test
	void manyChangesOfAKeyThatSomebodyHasLockedHideNoOthers() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		keyed(KEY);
		settle();
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_order_key", "order_key", List.of(KEY));
			keyed(KEY, 1_200);
			long other = keyed("other");
			settle();
			assertThat(job(other).state()).isEqualTo(JobState.READY);
			long another = keyed("another");
			settle();
			assertThat(job(another).state()).isEqualTo(JobState.READY);
		}
		Awaitility.await().until(() -> {
			settle();
			return this.rows.count("jobqueue_order_change") == 0;
		});
	}

	/**
	 * As many as a read takes, so that the next one finds nothing.
	 */
	@Test
	void changesOfAKeyThatWasLockedAreSeenOnceItIsFree() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		long head = keyed(KEY);
		settle();
		List<Long> jobs;
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_order_key", "order_key", List.of(KEY));
			jobs = keyed(KEY, 1_000);
			assertThat(this.keys.settle().left()).isEqualTo(1_000);
		}
		Awaitility.await().until(() -> {
			this.keys.settle();
			return this.rows.count("jobqueue_order_change") == 0;
		});
		assertThat(claimIds(10)).containsExactly(head);
		assertThat(jobs).hasSize(1_000);
	}

	/**
	 * One change that stays for another reason stands before those of the locked key.
	 */
	@Test
	void aJobThatSomebodyHasLockedLetsNoLockedKeyHideOthers() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		Claim head = keyedAndClaimed(KEY);
		assertThat(head).isNotNull();
		try (LockHolder keys = new LockHolder(schema()); LockHolder held = new LockHolder(schema())) {
			keys.lock("jobqueue_order_key", "order_key", List.of(KEY));
			long first = keyed("first");
			held.lock("jobqueue_job", "id", List.of(first));
			ack(keyedAndClaimed("second"));
			keyed(KEY, 1_200);
			long other = keyed("other");
			settle();
			assertThat(job(first).state()).isEqualTo(JobState.WAITING);
			assertThat(job(other).state()).isEqualTo(JobState.READY);
		}
	}

	private Claim keyedAndClaimed(String key) {
		keyed(key);
		return next();
	}

	@Test
	void aJobThatSomebodyHasLockedKeepsNoOtherKeyFromBeingParked() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		onDead(OnDead.PARK);
		List<Long> first = keyed("a", 3);
		List<Long> second = keyed("b", 3);
		settle();
		List<Claim> heads = claim(10).stream().map((job) -> job.claim()).toList();
		assertThat(heads).hasSize(2);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", first.subList(2, 3));
			heads.forEach(this::die);
			settle();
			long later = keyed("b");
			for (int i = 0; i < 6; i++) {
				settle();
			}
			assertThat(job(first.get(1)).state()).isEqualTo(JobState.DEAD);
			assertThat(second).allSatisfy((id) -> assertThat(job(id).state()).isEqualTo(JobState.DEAD));
			assertThat(claimIds(10)).containsExactly(later);
		}
		for (int i = 0; i < 4; i++) {
			settle();
		}
		assertThat(job(first.get(2)).state()).isEqualTo(JobState.DEAD);
	}

}
