package io.jobqueue.worker.poll;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.AttemptEnd;
import io.jobqueue.worker.attempt.AttemptEvents;
import io.jobqueue.worker.attempt.AttemptResult;
import io.jobqueue.worker.attempt.Capacity;
import io.jobqueue.worker.attempt.ClaimAhead;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.MissedJobs;
import io.jobqueue.worker.attempt.JobSignals;
import io.jobqueue.worker.run.Slots;
import io.jobqueue.worker.session.WorkerSession;
import io.jobqueue.worker.thread.WakeUp;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How claims follow each other in a worker that has more to do than it can hold. The
 * database is played; slots and attempts are real.
 */
class PollRoundTests {

	private static final WorkerSettings SETTINGS = WorkerSettings.named("any");

	private static final int SLOTS = SETTINGS.slots().concurrency();

	private static final ReadyRange RANGE = new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO);

	private final JobSignals signals = new JobSignals(System::nanoTime);

	private final AtomicLong clock = new AtomicLong(1);

	private long backlog = Long.MAX_VALUE;

	private Duration claimTakes = Duration.ZERO;

	/** How many batches of others' jobs stand in the way. */
	private int othersInTheWay;

	private Duration dueFor = Duration.ZERO;

	private long lastId;

	/** How often the worker has said which limits its types have. */
	private final AtomicInteger kept = new AtomicInteger();

	/** How many jobs each claim asked for. */
	private final List<Integer> claims = new ArrayList<>();

	private final Queue<Attempt> uncommitted = new ConcurrentLinkedQueue<>();

	private volatile CountDownLatch handlersMayReturn = new CountDownLatch(0);

	private final JobStore store = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> switch (called.getName()) {
				case "registerTypes" -> Map.of("any", 1);
				case "ready" -> new JobStore.Ranges(
						List.of(new ReadyRange("default", 4, 0, Degree.NONE, false, this.dueFor.negated())), false,
						false, Set.of(), 0);
				case "sortOut" -> sortOut();
				case "leaveQuarantine" -> true;
				case "keepLimits" -> this.kept.incrementAndGet() > 0;
				case "claim" -> claim((ClaimRequest) arguments[0]);
				default -> throw new UnsupportedOperationException(called.getName());
			});

	private final WorkerSessions sessions = (WorkerSessions) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { WorkerSessions.class }, (proxy, called, arguments) -> 1L);

	private final WorkerSession session = new WorkerSession(this.sessions, null, Duration.ofDays(1), () -> 0, () -> {
	}, this.clock::get);

	private final WakeUp wakeUp = new WakeUp();

	private final Capacity capacity = new Capacity(SETTINGS.slots(), this.clock::get);

	private final HeldAttempts held = new HeldAttempts((result) -> this.uncommitted.add(result.attempt()),
			new AttemptEvents(new WorkerListener() {
			}, this.capacity, this.signals, this.wakeUp), this.clock::get);

	private final Slots slots = new Slots(SETTINGS.slots(), this.clock::get);

	private final WorkerLoad load = new WorkerLoad(this.held, new MissedJobs(System::nanoTime), this.slots,
			this.capacity, this.wakeUp, WorkerSettings.Shares.EQUAL);

	private final PollRound round = round();

	private PollRound round() {
		Handlers handlers = new Handlers(List.of(new Handler("any", (payload, context) -> {
		}, RetryPolicy.DEFAULT, Duration.ZERO, false)));
		OwnTypes types = new OwnTypes(this.store, handlers.rules(), this.clock::get);
		Random random = new Random(1);
		return new PollRound(this.load, new PollRound.Source(
				new KeyLoop(new KeysInOrder(null, this.signals.orders(), null, System::nanoTime),
						new JobsOfLimits(null, this.signals.limits()), this.signals.wakeUp(), this.wakeUp::signal),
				new KnownRanges(this.store, new ServedRanges(SETTINGS), types,
						new NewRanges(SETTINGS, Set.of(), this.signals.orders()), () -> new WorkerSession.Beats(1, 0),
						this.clock::get),
				new ClaimAhead(System::nanoTime)),
				new ClaimPlan(this.clock::get, random, new QuarantineTurn(this.store, () -> 1L, this.clock::get),
						Map.of()),
				new Claimer(new Tables(this.store, null, null, this.signals.limits()), this.session, handlers, types,
						this.load, this.clock::get),
				List.of(new OthersJobs(this.store, types, this.clock::get)),
				new PollRound.Settings(SETTINGS.slots().flushSize(),
						new PollDelay(SETTINGS.timing().pollInterval(), random), this.clock::get));
	}

	@BeforeEach
	void start() {
		this.session.beat();
		this.slots.start((attempt) -> {
			if (attempt.start(this.clock.get())) {
				await(this.handlersMayReturn);
				attempt.finish();
				this.held.report(new AttemptResult(attempt, new Finish.Ack(attempt.claim()), false, Duration.ZERO));
			}
			return true;
		}, this.load::noneWaits);
	}

	@AfterEach
	void stop() {
		this.handlersMayReturn.countDown();
		this.slots.stop();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private List<ClaimedJob> claim(ClaimRequest request) {
		this.clock.addAndGet(this.claimTakes.toNanos());
		this.claims.add(request.limit());
		List<ClaimedJob> jobs = new ArrayList<>();
		for (; jobs.size() < request.limit() && this.backlog > 0; this.backlog--) {
			jobs.add(new ClaimedJob(new Claim(++this.lastId, 1, 1), "any", RANGE, 1, 0, Duration.ZERO, Suspicion.NONE,
					Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false)));
		}
		return jobs;
	}

	private Set<String> sortOut() {
		this.clock.addAndGet(Duration.ofMillis(10).toNanos());
		return (this.othersInTheWay-- > 0) ? Set.of("other") : Set.of();
	}

	private void commit(int most) {
		List<AttemptEnd> ends = new ArrayList<>();
		while (ends.size() < most && !this.uncommitted.isEmpty()) {
			Attempt attempt = this.uncommitted.remove();
			ends.add(new AttemptEnd(attempt, attempt.hasStarted() ? Outcome.SUCCEEDED : null, Duration.ZERO));
		}
		this.held.ended(ends);
	}

	private void runAll() {
		Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> this.uncommitted.size() == this.held.size());
	}

	/**
	 * Lets the worker find out that it does 10,000 jobs a second, 1,000 in a commit.
	 */
	private void workForSomeTime() {
		work(40, Duration.ofMillis(50));
		work(40, Duration.ofMillis(100));
		this.claims.clear();
	}

	private void work(int commits, Duration each) {
		for (int commit = 0; commit < commits; commit++) {
			this.round.poll();
			runAll();
			this.clock.addAndGet(each.toNanos());
			commit(Integer.MAX_VALUE);
		}
	}

	/**
	 * A claim that reads over a million jobs of others takes a second, and so would the
	 * next thousand.
	 */
	@ParameterizedTest
	@CsvSource({ "0, 6", "500, 51", "30000, 101" })
	void theLongerAClaimTakesTheLongerOthersJobsAreSortedOut(long claimMillis, int batches) {
		this.backlog = 0;
		this.dueFor = Duration.ofMinutes(1);
		this.othersInTheWay = 1_000;
		this.claimTakes = Duration.ofMillis(claimMillis);
		this.round.poll();
		assertThat(1_000 - this.othersInTheWay).isEqualTo(batches);
	}

	/** A batch takes 10 ms here. */
	@Test
	void asLongAsAWorkerHasJobsOfItsOwnOthersJobsTakeNoLongerThanItsClaims() {
		this.dueFor = Duration.ofMinutes(1);
		this.othersInTheWay = 1_000;
		this.claimTakes = Duration.ofMillis(1);
		for (int claim = 0; claim < 100; claim++) {
			this.round.poll();
			runAll();
			commit(Integer.MAX_VALUE);
		}
		assertThat(this.claims).hasSize(100);
		assertThat(1_000 - this.othersInTheWay).isEqualTo(10);
	}

	@Test
	void theNextJobsAreClaimedAndRunWhileTheResultsOfOthersAreCommitted() {
		workForSomeTime();
		assertThat(this.round.poll()).isZero();
		runAll();
		assertThat(this.round.poll()).as("the next claim").isZero();
		runAll();
		assertThat(this.round.poll()).as("all that it may hold").isPositive();
		assertThat(this.claims).containsExactly(1000, 1000);
		commit(1000);
		assertThat(this.round.poll()).isZero();
		assertThat(this.claims).containsExactly(1000, 1000, 1000);
	}

	/**
	 * Else other workers would take them for those of a version that is gone.
	 */
	@Test
	void aWorkerThatHasNoRoomForMinutesSaysStillWhichLimitsItsTypesHave() {
		workForSomeTime();
		this.handlersMayReturn = new CountDownLatch(1);
		this.round.poll();
		Awaitility.await().until(() -> this.held.active() == SLOTS);
		int before = this.kept.get();
		for (int minute = 1; minute <= 3; minute++) {
			this.clock.addAndGet(Duration.ofSeconds(61).toNanos());
			assertThat(this.round.poll()).isPositive();
			assertThat(this.round.poll()).isPositive();
			assertThat(this.kept.get() - before).isEqualTo(minute);
		}
	}

	@Test
	void jobsAreNotClaimedLongerAheadThanATenthOfASecond() {
		workForSomeTime();
		this.handlersMayReturn = new CountDownLatch(1);
		assertThat(this.round.poll()).isZero();
		assertThat(this.round.poll()).isPositive();
		assertThat(this.claims).containsExactly(1000);
	}

	/**
	 * Else it would sleep until the next commit is over.
	 */
	@Test
	void theLoopIsWokenWhenNoJobWaitsForASlotAnyMore() throws InterruptedException {
		workForSomeTime();
		this.handlersMayReturn = new CountDownLatch(1);
		this.round.poll();
		this.wakeUp.await(Duration.ZERO);
		assertThat(this.round.poll()).as("jobs wait").isPositive();
		assertThat(this.wakeUp.await(Duration.ZERO)).isFalse();
		this.handlersMayReturn.countDown();
		assertThat(this.wakeUp.await(Duration.ofSeconds(10))).isTrue();
		assertThat(this.round.poll()).isZero();
		assertThat(this.claims).containsExactly(1000, 1000);
	}

	@Test
	void jobsThatWereGivenBackTakeNoRoomOnceThatIsCommitted() {
		workForSomeTime();
		this.handlersMayReturn = new CountDownLatch(1);
		this.round.poll();
		Awaitility.await().until(() -> this.held.active() == SLOTS);
		this.held.giveBackWaiting((attempt) -> true);
		assertThat(this.round.poll()).as("after " + this.uncommitted.size() + " were given back").isZero();
		commit(Integer.MAX_VALUE);
		assertThat(this.held.size()).isEqualTo(1000 + SLOTS);
	}

	/**
	 * Each claim costs the server as much as hundreds of jobs.
	 */
	@Test
	void aFewJobsAreNotClaimedWhileACommitIsToCome() {
		workForSomeTime();
		this.round.poll();
		runAll();
		this.round.poll();
		runAll();
		this.claims.clear();
		commit(100);
		assertThat(this.round.poll()).isPositive();
		commit(200);
		assertThat(this.claims).isEmpty();
		assertThat(this.round.poll()).isZero();
		assertThat(this.claims).containsExactly(308);
	}

	@Test
	void aClaimThatFindsFewerIsNotFollowedByAnotherAtOnce() {
		workForSomeTime();
		this.backlog = 700;
		assertThat(this.round.poll()).isEqualTo(PollDelay.SHORTEST);
		assertThat(this.claims).containsExactly(1000);
	}

	@Test
	void aWorkerFarFromItsDatabaseFindsOutHowQuickItsJobsAre() {
		this.claimTakes = Duration.ofMillis(100);
		work(40, Duration.ofMillis(100));
		assertThat(this.claims).startsWith(SLOTS);
		assertThat(this.claims.get(this.claims.size() - 1)).isGreaterThan(500);
	}

	/**
	 * Far from its database a worker takes longer to notice that nothing ends any more.
	 */
	@Test
	void whatIsGivenBackBecauseTheSlotsStandIsNotClaimedAgain() {
		this.claimTakes = Duration.ofMillis(500);
		work(40, Duration.ofMillis(100));
		this.handlersMayReturn = new CountDownLatch(1);
		this.round.poll();
		Awaitility.await().until(() -> this.held.active() == SLOTS);
		this.claims.clear();
		this.clock.addAndGet(Duration.ofMillis(2_001).toNanos());
		this.held.giveBackWaiting((attempt) -> true);
		commit(Integer.MAX_VALUE);
		assertThat(this.round.poll()).isPositive();
		assertThat(this.claims).isEmpty();
	}

	@Test
	void aWorkerThatHasJustStartedClaimsAJobForEachSlot() {
		this.handlersMayReturn = new CountDownLatch(1);
		assertThat(this.round.poll()).isZero();
		assertThat(this.round.poll()).isPositive();
		assertThat(this.claims).containsExactly(SLOTS);
	}

}
