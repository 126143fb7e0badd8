package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.Limit;
import io.jobqueue.NewJob;
import io.jobqueue.WaitReason;
import io.jobqueue.maintenance.DeclareLimits;
import io.jobqueue.poison.Load;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitPauses;
import io.jobqueue.store.OrderKeys;
import io.jobqueue.store.QueueShares;
import io.jobqueue.store.jdbc.order.JdbcOrderKeys;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs of types that have limits.
 */
@ForEachDatabase
class LimitsTests extends LimitStoreTests {

	@Test
	void noMoreRunThanMay() {
		this.limits.save(limit().running(3));
		List<Long> ids = calls(10);
		List<ClaimedJob> first = claimAll(100);
		assertThat(ids(first)).isEqualTo(ids.subList(0, 3));
		assertThat(claimAll(100)).isEmpty();
		ack(first.get(1));
		assertThat(ids(claimAll(100))).containsExactly(ids.get(3));
		assertThat(status().running()).isEqualTo(3);
		assertThat(status().ready()).isEqualTo(6);
	}

	@Test
	void isChangedIfItStillIsAsItWasSeen() {
		Limit seen = limit().running(3).starts(50, Duration.ofMinutes(1));
		this.limits.save(seen);
		assertThat(this.limits.change(seen, seen.running(4))).isTrue();
		assertThat(this.limits.change(seen, seen.running(5))).isFalse();
		assertThat(status().limit()).isEqualTo(seen.running(4));
		assertThat(this.limits.change(seen.running(4), seen.running(4))).isTrue();
		assertThat(this.limits.change(Limit.of("none"), Limit.of("none").running(1))).isFalse();
		assertThat(this.limits.list("none")).isEmpty();
	}

	@Test
	void typesMayShareALimit() {
		this.limits.save(limit().running(2));
		calls(2);
		enqueue(NewJob.of("refund"));
		assertThat(claimAll(100)).hasSize(2);
		assertThat(status().types()).containsExactly("call", "refund");
	}

	@Test
	void otherJobsGoPast() {
		this.limits.save(limit().running(1));
		calls(100);
		List<Long> plain = enqueue(5);
		assertThat(ids(claimAll(100))).hasSize(6).containsAll(plain);
	}

	@Test
	void whateverEndsAnAttemptGivesThePlaceBack() {
		this.limits.save(limit().running(1));
		calls(5);
		Claim claim = claimAll(9).get(0).claim();
		this.store.finish(List.of(new Finish.Retry(claim, Duration.ofHours(1), failure())));
		claim = claimAll(9).get(0).claim();
		this.store.finish(List.of(new Finish.Release(claim, Duration.ZERO)));
		claim = claimAll(9).get(0).claim();
		this.store.finish(List.of(new Finish.DeadLetter(claim, failure())));
		claim = claimAll(9).get(0).claim();
		this.store.finish(List.of(new Finish.Rescue(claim, failure())));
		assertThat(claimAll(9)).hasSize(1);
		assertThat(claimAll(9)).isEmpty();
	}

	@Test
	void jobsThatWereInsertedBySqlAreCounted() {
		this.limits.save(limit().running(2));
		for (int i = 0; i < 5; i++) {
			this.rows.sql("INSERT INTO jobqueue_job (type, payload) VALUES ('call', 'p')").update();
			this.rows.sql("INSERT INTO jobqueue_job (type, payload, limit_key) VALUES ('call', 'p', 'a')").update();
		}
		assertThat(claimAll(100)).hasSize(4);
		assertThat(this.rows.sql("SELECT COUNT(*) FROM jobqueue_job WHERE type_id = 0").query(Long.class).single())
			.isZero();
	}

	@Test
	void eachKeyHasAnAllowanceOfItsOwn() {
		this.limits.save(limit().running(2));
		List<Long> a = calls("a", 5);
		List<Long> b = calls("b", 5);
		List<Long> none = calls(5);
		List<ClaimedJob> jobs = claimAll(100);
		assertThat(ids(jobs)).containsExactlyInAnyOrder(a.get(0), a.get(1), b.get(0), b.get(1), none.get(0),
				none.get(1));
		assertThat(claimAll(100)).isEmpty();
		assertThat(job(a.get(4)).state()).isEqualTo(JobState.WAITING);
		assertThat(job(a.get(4)).waitingFor()).contains(new WaitReason(WaitReason.Kind.LIMIT, LIMIT, null));
		assertThat(job(none.get(4)).state()).isEqualTo(JobState.READY);
		assertThat(job(none.get(4)).waitingFor()).contains(new WaitReason(WaitReason.Kind.LIMIT, LIMIT, null));
		assertThat(status().waiting()).isEqualTo(6);
		assertThat(job(a.get(4)).limitKey()).isEqualTo("a");
	}

	@Test
	void aJobThatEndsLetsTheNextOfItsKeyStart() {
		this.limits.save(limit().running(2));
		List<Long> ids = calls("a", 6);
		List<Long> ran = new ArrayList<>();
		List<ClaimedJob> jobs = new ArrayList<>(claimAll(100));
		for (int i = 0; i < 6; i++) {
			assertThat(jobs).as("running after " + ran).hasSize(Math.min(2, 6 - i));
			ClaimedJob job = jobs.remove(0);
			ran.add(job.claim().id());
			ack(job);
			settleFreed();
			jobs.addAll(claimAll(100));
		}
		assertThat(ran).isEqualTo(ids);
		assertThat(this.rows.count("jobqueue_limit_place")).isZero();
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

	@Test
	void aJobThatComesLaterDoesNotOvertakeThoseThatWait() {
		this.limits.save(limit().running(1));
		List<Long> early = calls("a", 3);
		ClaimedJob first = claimAll(100).get(0);
		assertThat(claimAll(100)).isEmpty();
		long late = calls("a", 1).get(0);
		ack(first);
		assertThat(claimAll(100)).as("the place is for one that waits").isEmpty();
		settleFreed();
		ClaimedJob second = claimAll(100).get(0);
		assertThat(second.claim().id()).isEqualTo(early.get(1));
		ack(second);
		settleFreed();
		ClaimedJob third = claimAll(100).get(0);
		assertThat(third.claim().id()).isEqualTo(early.get(2));
		ack(third);
		settleFreed();
		assertThat(ids(claimAll(100))).containsExactly(late);
	}

	@Test
	void theSweepFindsPlacesThatNobodyKnowsOf() {
		this.limits.save(limit().running(1));
		List<Long> ids = calls("a", 3);
		ClaimedJob first = claimAll(100).get(0);
		assertThat(claimAll(100)).isEmpty();
		// As a rescue does on another node.
		this.store.finish(List.of(new Finish.DeadLetter(first.claim(), failure())));
		sweep();
		assertThat(ids(claimAll(100))).containsExactly(ids.get(1));
		sweep();
		assertThat(claimAll(100)).isEmpty();
	}

	@Test
	void aJobThatIsReadyInAPausedQueueDoesNotKeepOthersFromThePlace() {
		this.limits.save(limit().running(1));
		ClaimedJob first = claimOf(calls("a", 1));
		long paused = enqueue(NewJob.of("call", "p").queue("paused").limitKey("a"));
		long other = enqueue(NewJob.of("call", "p").limitKey("a"));
		assertThat(claimAll(100)).isEmpty();
		this.queues.setPaused("paused", true);
		ack(first);
		settleFreed();
		assertThat(claimAll(100)).isEmpty();
		assertThat(job(paused).state()).isEqualTo(JobState.READY);
		sweep();
		assertThat(claimAll(100)).isEmpty();
		this.rows.set(paused, "available_at = '2020-01-01 00:00:00'");
		sweep();
		assertThat(ids(claimAll(100))).containsExactly(other);
	}

	/**
	 * The first claim adds the allowance of the key, and the second one takes the job.
	 */
	@Test
	void theFirstJobOfANewKeyIsTheFirstToStartThoughAClaimSeesOnlySome() {
		this.limits.save(limit().running(1));
		List<Long> ids = calls("a", 12);
		List<ClaimedJob> started = List.of();
		for (int i = 0; i < 5 && started.isEmpty(); i++) {
			started = claimOnce(4);
		}
		assertThat(ids(started)).containsExactly(ids.get(0));
	}

	@Test
	void jobsWhoseWorkersAreBusyDoNotComeToTheirPlacesInEverGreaterNumbers() {
		this.limits.save(limit().running(1));
		ClaimedJob first = claimOf(calls("a", 1));
		calls("a", 50);
		assertThat(claimAll(100)).isEmpty();
		ack(first);
		settleFreed();
		for (int round = 0; round < 4; round++) {
			this.rows.sql("UPDATE jobqueue_job SET available_at = '2020-01-01 00:00:00' WHERE state = 0").update();
			sweep();
		}
		assertThat(this.rows.count("jobqueue_job WHERE state = 0")).isLessThanOrEqualTo(5);
	}

	@Test
	void notMoreThanSomeHundredJobsOfPausedQueuesArePassedOverAtOnce() {
		this.limits.save(limit().running(1));
		List<NewJob> jobs = new ArrayList<>();
		for (int key = 0; key < 10; key++) {
			for (int i = 0; i < 300; i++) {
				jobs.add(NewJob.of("call", "p").queue("paused").limitKey("key-" + key));
			}
		}
		enqueueAll(jobs);
		assertThat(claimAll(5_000)).as("one of each key").hasSize(10).allSatisfy(this::ack);
		this.queues.setPaused("paused", true);
		settleFreed();
		for (int round = 0; round < 8; round++) {
			this.rows.sql("UPDATE jobqueue_job SET available_at = '2020-01-01 00:00:00' WHERE state = 0").update();
			long before = this.rows.count("jobqueue_job WHERE state = 0");
			sweep();
			assertThat(this.rows.count("jobqueue_job WHERE state = 0") - before).isLessThanOrEqualTo(500 + 10);
		}
	}

	/**
	 * Twice as many each time.
	 */
	@Test
	void allJobsOfAPausedQueueArePassedOverInFewRounds() {
		this.limits.save(limit().running(1));
		ClaimedJob first = claimOf(calls("a", 1));
		List<Long> paused = enqueueAll(IntStream.range(0, 300)
			.mapToObj((number) -> NewJob.of("call", "p").queue("paused").limitKey("a"))
			.toList());
		long other = enqueue(NewJob.of("call", "p").limitKey("a"));
		assertThat(claimAll(400)).isEmpty();
		this.queues.setPaused("paused", true);
		ack(first);
		settleFreed();
		List<ClaimedJob> started = List.of();
		for (int round = 1; round <= 10 && started.isEmpty(); round++) {
			this.rows.sql("UPDATE jobqueue_job SET available_at = '2020-01-01 00:00:00' WHERE state = 0").update();
			sweep();
			started = claimAll(400);
		}
		assertThat(ids(started)).containsExactly(other);
		this.queues.setPaused("paused", false);
		assertThat(claimAll(400)).isEmpty();
		ack(started.get(0));
		settleFreed();
		assertThat(ids(claimAll(400))).as("one at a time, as before").hasSize(1).isSubsetOf(paused);
	}

	@Test
	void waitingJobsAreCancelledRedrivenRescheduledAndExpired() {
		this.limits.save(limit().running(1));
		ClaimedJob first = claimOf(calls("a", 1));
		List<Long> ids = calls("a", 3);
		long expiring = enqueue(NewJob.of("call", "p").limitKey("a").expiresAfter(Duration.ofHours(1)));
		assertThat(claimAll(100)).isEmpty();
		assertThat(this.store.cancel(ids.get(0))).isTrue();
		this.store.reschedule(ids.get(1), Instant.now().plus(Duration.ofHours(1)));
		this.rows.set(expiring, "expires_at = '2020-01-01 00:00:00'");
		this.store.expire(null, 100);
		assertThat(job(expiring).state()).isEqualTo(JobState.EXPIRED);
		ack(first);
		settleFreed();
		ClaimedJob last = claimOf(List.of(ids.get(2)));
		assertThat(job(ids.get(1)).state()).as("it waits for its time").isEqualTo(JobState.READY);
		this.store.finish(List.of(new Finish.DeadLetter(last.claim(), failure())));
		this.store.redrive(List.of(last.claim().id()));
		assertThat(ids(claimAll(100))).containsExactly(last.claim().id());
		assertThat(job(last.claim().id()).limitKey()).isEqualTo("a");
	}

	@Test
	void aLimitMayChangeWhileJobsRun() {
		this.limits.save(limit().running(4));
		calls(10);
		List<ClaimedJob> running = claimAll(100);
		assertThat(running).hasSize(4);
		this.limits.save(limit().running(2));
		running.subList(0, 2).forEach(this::ack);
		assertThat(claimAll(100)).isEmpty();
		ack(running.get(2));
		assertThat(claimAll(100)).hasSize(1);
		this.limits.save(limit());
		assertThat(claimAll(100)).hasSize(5);
	}

	@Test
	void aLimitThatIsGoneLetsItsJobsWait() {
		calls(3);
		calls("a", 3);
		assertThat(claimAll(100)).isEmpty();
		this.limits.save(limit().running(1));
		assertThat(claimAll(100)).hasSize(2);
	}

	@Test
	void aTypeMayGetAnotherLimitOrNone() {
		this.limits.save(limit().running(1));
		calls("a", 3);
		calls(3);
		assertThat(claimAll(100)).hasSize(2);
		this.limits.save(Limit.of("other").running(3));
		register(Map.of("call", "other"));
		sweep();
		assertThat(claimAll(100)).hasSize(2 + 2);
		register(Map.of("call", ""));
		assertThat(limitOf("call")).as("nodes that have it may still be there").isEqualTo("other");
		othersAreGone();
		register(Map.of("call", ""));
		assertThat(limitOf("call")).isEmpty();
		sweep();
		sweep();
		assertThat(claimAll(100)).isEmpty();
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(6);
	}

	@Test
	void suspectsAreCountedToo() {
		this.limits.save(limit().running(1));
		List<Long> ids = calls("a", 2);
		ids.forEach((id) -> this.rows.set(id, "state = 2, crashes = 1"));
		assertThat(claimOnce(1)).hasSize(1);
		assertThat(claimOnce(10)).isEmpty();
		assertThat(claimOnce(10)).isEmpty();
	}

	@Test
	void onlySoManyStartInATime() {
		this.limits.save(limit().starts(10, Duration.ofMinutes(10)).burst(3));
		calls(10);
		List<ClaimedJob> jobs = claimAll(100);
		assertThat(jobs).hasSize(3);
		jobs.forEach(this::ack);
		assertThat(claimAll(100)).as("a minute each").isEmpty();
		assertThat(this.pauses.isPaused(limitId())).isTrue();
		timePasses(Duration.ofSeconds(61));
		assertThat(claimAll(100)).hasSize(1);
		timePasses(Duration.ofHours(1));
		assertThat(claimAll(100)).hasSize(3);
		assertThat(claimAll(100)).isEmpty();
	}

	@Test
	void startsAreCountedForEachKey() {
		this.limits.save(limit().starts(10, Duration.ofMinutes(10)).burst(1));
		List<Long> a = calls("a", 3);
		List<Long> b = calls("b", 1);
		assertThat(ids(claimAll(100))).containsExactly(a.get(0), b.get(0));
		assertThat(claimAll(100)).isEmpty();
		assertThat(job(a.get(1)).state()).isEqualTo(JobState.WAITING);
		assertThat(this.limits.due(10)).isEmpty();
		timePasses(Duration.ofSeconds(61));
		assertThat(this.store.ready(0, Set.of(), false).limitsDue()).isTrue();
		assertThat(this.limits.due(10)).containsExactly(new LimitKey(limitId(), "a"));
		this.limits.settle(this.limits.due(10));
		assertThat(ids(claimAll(100))).containsExactly(a.get(1));
		assertThat(this.limits.due(10)).isEmpty();
	}

	@Test
	void aKeyWithoutJobsIsNotLookedAtForEver() {
		this.limits.save(limit().starts(10, Duration.ofMinutes(10)).burst(1));
		List<Long> ids = calls("a", 2);
		assertThat(claimAll(100)).hasSize(1);
		assertThat(claimAll(100)).isEmpty();
		this.store.cancel(ids.get(1));
		timePasses(Duration.ofSeconds(61));
		for (int i = 0; i < 3; i++) {
			this.limits.settle(this.limits.due(10));
		}
		assertThat(this.limits.due(10)).isEmpty();
		calls("b", 2);
		assertThat(claimAll(100)).hasSize(1);
		assertThat(claimAll(100)).isEmpty();
		this.rows.sql("DELETE FROM jobqueue_limit").update();
		timePasses(Duration.ofSeconds(61));
		this.limits.settle(this.limits.due(10));
		assertThat(this.limits.due(10)).isEmpty();
	}

	@Test
	void jobsThatWaitAreNotTakenForJobsOfAnUnknownState() {
		this.limits.save(limit().running(1));
		calls("a", 3);
		long inOrder = enqueue(NewJob.of("any", "p").orderKey("o"));
		assertThat(claimAll(100)).hasSize(1);
		assertThat(this.rows.sql("SELECT COUNT(*) FROM jobqueue_job WHERE state = 10").query(Long.class).single())
			.isEqualTo(2);
		assertThat(this.store.deadLetterUnknownStates(500)).isZero();
		assertThat(status().waiting()).isEqualTo(2);
		assertThat(job(inOrder).state()).isEqualTo(JobState.WAITING);
	}

	@Test
	void aClockThatWasPutBackDoesNotStopALimit() {
		this.limits.save(limit().starts(10, Duration.ofMinutes(10)).burst(1));
		calls(5);
		assertThat(claimAll(100)).hasSize(1);
		timePasses(Duration.ofDays(-1));
		this.nanos.addAndGet(Duration.ofSeconds(61).toNanos());
		assertThat(claimAll(100)).hasSize(1);
		timePasses(Duration.ofSeconds(61));
		assertThat(claimAll(100)).hasSize(1);
	}

	@Test
	void nothingIsLeftOverOfKeysWithoutJobs() {
		this.limits.save(limit().running(2));
		calls("a", 3);
		for (int i = 0; i < 3; i++) {
			claimAll(100).forEach(this::ack);
			settleFreed();
		}
		assertThat(this.rows.count("jobqueue_job")).isZero();
		this.rows.sql("UPDATE jobqueue_allowance SET changed_at = '2020-01-01 00:00:00'").update();
		sweep();
		assertThat(this.rows.count("jobqueue_limit_running")).isZero();
		assertThat(this.rows.count("jobqueue_limit_place")).isZero();
		assertThat(this.rows.count("jobqueue_allowance")).as("the shared one").isEqualTo(1);
	}

	@Test
	void whatAnotherProgramHasWrittenIsReady() {
		this.limits.save(limit().running(2));
		long placeless = enqueue(NewJob.of("any", "p"));
		this.rows.set(placeless, "state = 10");
		long call = calls(1).get(0);
		this.rows.set(call, "state = 10");
		sweep();
		assertThat(ids(claimAll(100))).containsExactlyInAnyOrder(placeless, call);
	}

	@Test
	void orderComesBeforeTheLimit() {
		this.limits.save(limit().running(1));
		OrderKeys keys = new JdbcOrderKeys(this.database, System::nanoTime);
		List<Long> ids = enqueueAll(IntStream.range(0, 3)
			.mapToObj((number) -> NewJob.of("call", "p").orderKey("o").limitKey("a"))
			.toList());
		ClaimedJob other = claimOf(calls("a", 1));
		keys.settle();
		assertThat(claimAll(100)).as("the head waits for its limit").isEmpty();
		keys.settle();
		assertThat(claimAll(100)).isEmpty();
		ack(other);
		settleFreed();
		ClaimedJob head = claimOf(ids.subList(0, 1));
		keys.settle();
		assertThat(claimAll(100)).isEmpty();
		ack(head);
		keys.settle();
		claimOf(ids.subList(1, 2));
	}

	@Test
	void aConfiguredLimitIsKeptAsItWasChangedUntilItIsConfiguredAnew() {
		DeclareLimits node = configured(0, 5);
		assertThat(node.runOnce()).isOne();
		this.limits.save(limit().running(3));
		assertThat(node.runOnce()).isZero();
		assertThat(configured(0, 5).runOnce()).isZero();
		assertThat(status().limit().running()).isEqualTo(3);
		pass(Duration.ofSeconds(1));
		assertThat(configured(0, 6).runOnce()).isOne();
		assertThat(status().limit().running()).isEqualTo(6);
	}

	@Test
	void theNewerConfigurationHoldsAndTheOlderOneOnceTheNewerIsRolledBack() {
		DeclareLimits old = configured(0, 5);
		DeclareLimits newer = configured(0, 6);
		old.runOnce();
		pass(Duration.ofSeconds(1));
		newer.runOnce();
		// A node of the older version starts again meanwhile.
		assertThat(configured(0, 5).runOnce()).isZero();
		assertThat(old.runOnce()).isZero();
		assertThat(status().limit().running()).isEqualTo(6);
		// Nodes that know nothing of a limit leave it as it is.
		new DeclareLimits(this.limits, List.of(Limit.of("other").running(1)), 0).runOnce();
		pass(Duration.ofMinutes(2));
		assertThat(status().limit().running()).isEqualTo(6);
		assertThat(old.runOnce()).isOne();
		assertThat(status().limit().running()).isEqualTo(5);
	}

	@Test
	void theConfigurationOfTheHigherRevisionHolds() {
		configured(2, 5).runOnce();
		pass(Duration.ofSeconds(1));
		assertThat(configured(1, 6).runOnce()).isZero();
		assertThat(status().limit().running()).isEqualTo(5);
	}

	@Test
	void twoLimitsMayBeConfiguredAlike() {
		Limit one = Limit.of("one").running(5);
		Limit other = Limit.of("other").running(5);
		assertThat(new DeclareLimits(this.limits, List.of(one), 0).runOnce()).isOne();
		assertThat(new DeclareLimits(this.limits, List.of(one, other), 0).runOnce()).isOne();
		assertThat(this.limits.list(null)).extracting((found) -> found.limit().running()).containsExactly(5, 5);
	}

	@Test
	void whatWasSaidLatelyIsNotSaidAgain() {
		configured(0, 5).runOnce();
		pass(Duration.ofSeconds(30));
		LocalDateTime said = seenAt();
		// Another node of the same version.
		configured(0, 5).runOnce();
		assertThat(seenAt()).isEqualTo(said);
		pass(Duration.ofSeconds(20));
		configured(0, 5).runOnce();
		assertThat(seenAt()).isAfter(said);
	}

	private LocalDateTime seenAt() {
		return this.rows.sql("SELECT seen_at FROM jobqueue_declaration WHERE kind = 1")
			.query(LocalDateTime.class)
			.single();
	}

	@Test
	void aChangeByHandIsTold() {
		this.limits.save(Limit.of("by-hand").running(3));
		assertThat(this.limits.list("by-hand").get(0).changed()).isFalse();
		configured(0, 5).runOnce();
		assertThat(status().changed()).isFalse();
		this.limits.save(limit().running(6));
		assertThat(status().changed()).isTrue();
		this.limits.save(limit().running(5));
		assertThat(status().changed()).isFalse();
		new DeclareLimits(this.limits, List.of(limit().starts(50, Duration.ofSeconds(1))), 0).runOnce();
		assertThat(status().changed()).isFalse();
		this.limits.save(limit().starts(50, Duration.ofSeconds(1)).burst(50));
		assertThat(status().changed()).isTrue();
	}

	private DeclareLimits configured(long revision, int running) {
		return new DeclareLimits(this.limits, List.of(limit().running(running)), revision);
	}

	private void pass(Duration time) {
		long micros = time.toNanos() / 1000;
		this.rows
			.sql("UPDATE jobqueue_declaration SET seen_at = TIMESTAMPADD(MICROSECOND, -" + micros
					+ ", seen_at), first_seen_at = TIMESTAMPADD(MICROSECOND, -" + micros + ", first_seen_at)")
			.update();
	}

	@Test
	void claimsAtOnceNeverExceedALimit() throws Exception {
		this.limits.save(limit().running(3));
		calls(60);
		calls("a", 60);
		Set<Long> ran = Collections.synchronizedSet(new HashSet<>());
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<Future<?>> all = IntStream.range(0, 4).<Future<?>>mapToObj((thread) -> threads.submit(() -> {
				LimitPauses own = new LimitPauses(System::nanoTime);
				long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
				while (ran.size() < 120 && System.nanoTime() < end) {
					this.limits.settle(own.takeFreed()).left().forEach(own::freed);
					List<ClaimedJob> jobs = this.store
						.claim(new ClaimRequest(SESSION + thread, due(), 4, this.types.keySet(),
								Deadlines.always(DEADLINE), Load.empty(8), Set.of(), QueueShares.EQUAL, own));
					assertThat(running("limit_key IS NULL")).isLessThanOrEqualTo(3);
					assertThat(running("limit_key = 'a'")).isLessThanOrEqualTo(3);
					for (ClaimedJob job : jobs) {
						assertThat(this.store.finish(List.of(new Finish.Ack(job.claim())))).isEmpty();
						own.ended(job);
						assertThat(ran.add(job.claim().id())).isTrue();
					}
				}
				return null;
			})).toList();
			for (Future<?> one : all) {
				one.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(ran).hasSize(120);
	}

}
