package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.thread.WakeUp;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * In which ways an attempt leaves its worker.
 */
class HeldAttemptsTests {

	private static final Handler HANDLER = new Handler("any", (payload, job) -> {
	}, RetryPolicy.DEFAULT, Duration.ofMinutes(1), false);

	private final AtomicLong clock = new AtomicLong(1);

	private final List<AttemptResult> results = new ArrayList<>();

	private final List<Outcome> outcomes = new ArrayList<>();

	private final WakeUp wakeUp = new WakeUp();

	private final WorkerListener listener = new WorkerListener() {

		@Override
		public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
			HeldAttemptsTests.this.outcomes.add(outcome);
		}

	};

	private final HeldAttempts held = new HeldAttempts(this.results::add, new AttemptEvents(this.listener,
			new Capacity(WorkerSettings.Slots.DEFAULT, this.clock::get), new JobSignals(System::nanoTime), this.wakeUp),
			this.clock::get);

	private final Attempt waiting = attempt(1);

	private final Attempt running = attempt(2);

	private Attempt attempt(long id) {
		return attempt(id, 1);
	}

	private Attempt attempt(long id, long fence) {
		Attempt attempt = new Attempt(new ClaimedJob(new Claim(id, fence, 1), "any",
				new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO), 1, 0, Duration.ZERO, Suspicion.NONE,
				Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false)), HANDLER, 0);
		this.held.add(attempt);
		if (id == 2) {
			attempt.start(1);
		}
		return attempt;
	}

	@AfterEach
	void clearInterrupt() {
		Thread.interrupted();
	}

	@Test
	void oneThatWaitsIsGivenBackAndHeldUntilThatIsCommitted() {
		this.held.giveBackWaiting((attempt) -> true);
		assertThat(this.results).extracting(AttemptResult::finish)
			.containsExactly(new Finish.Release(this.waiting.claim(), Duration.ZERO));
		assertThat(this.held.all()).containsExactlyInAnyOrder(this.waiting, this.running);
		assertThat(this.waiting.start(2)).as("starts all the same").isFalse();
		this.held.giveBackWaiting((attempt) -> true);
		assertThat(this.results).as("given back once").hasSize(1);
	}

	@Test
	void twoOfOneJobAreHeldApart() {
		Attempt again = attempt(2, 5);
		assertThat(this.held.of(2)).containsExactlyInAnyOrder(this.running, again);
		this.held.ended(List.of(new AttemptEnd(again, Outcome.SUCCEEDED, Duration.ZERO)));
		assertThat(this.held.of(2)).containsExactly(this.running);
	}

	@Test
	void oneThatIsLetGoBeforeItsStartIsForgottenAndNothingIsWritten() {
		assertThat(this.held.letGo(this.waiting, InterruptReason.CANCELLED)).isFalse();
		assertThat(this.held.all()).containsExactly(this.running);
		assertThat(this.results).isEmpty();
	}

	@Test
	void oneThatIsLetGoWhileItRunsIsInterruptedAndHeldUntilItEnds() {
		assertThat(this.held.letGo(this.running, InterruptReason.CANCELLED)).isTrue();
		assertThat(this.running.finish()).isEqualTo(InterruptReason.CANCELLED);
		assertThat(this.held.contains(this.running)).isTrue();
		assertThat(this.results).isEmpty();
	}

	@Test
	void allAreLetGoTogetherAndComparedWithTheTableLater() {
		assertThat(this.held.takeComparisonRequest()).isFalse();
		this.held.letGoAll();
		assertThat(this.held.all()).containsExactly(this.running);
		assertThat(this.running.isInterrupted()).isTrue();
		assertThat(this.held.takeComparisonRequest()).isTrue();
		assertThat(this.held.takeComparisonRequest()).isFalse();
	}

	@Test
	void oneWhoseEndIsCommittedIsForgottenToldOfAndWakesThePollLoop() throws InterruptedException {
		this.held.ended(List.of(new AttemptEnd(this.running, Outcome.SUCCEEDED, Duration.ZERO),
				new AttemptEnd(this.waiting, null, Duration.ZERO)));
		assertThat(this.held.size()).isZero();
		assertThat(this.outcomes).containsExactly(Outcome.SUCCEEDED);
		assertThat(this.wakeUp.await(Duration.ZERO)).isTrue();
	}

	@Test
	void oneThatDoesNotReactCostsItsSlotUntilItReturns() {
		this.held.giveUp(this.running, AttemptResult::release);
		assertThat(this.held.stuck()).as("it was not interrupted").isZero();
		this.held.letGo(this.running, InterruptReason.CANCELLED);
		this.held.giveUp(this.running, AttemptResult::release);
		this.held.giveUp(this.running, AttemptResult::release);
		assertThat(this.held.stuck()).isEqualTo(1);
		assertThat(this.results).hasSize(1);
		this.held.returnedAtLast();
		assertThat(this.held.stuck()).isZero();
	}

	/**
	 * As when a callback of its commit hangs: nobody can end that, so that at least it is
	 * told of.
	 */
	@Test
	void oneWhoseTransactionDoesNotEndIsAtWorkAndOverdueAfterAWhile() {
		this.running.finish();
		assertThat(this.held.active()).isEqualTo(1);
		assertThat(this.running.noteFinishing(0, Duration.ofNanos(30))).isFalse();
		assertThat(this.running.noteFinishing(30, Duration.ofNanos(30))).isFalse();
		assertThat(this.held.atSlots().overdue()).isZero();
		assertThat(this.running.noteFinishing(31, Duration.ofNanos(30))).as("noted once").isTrue();
		assertThat(this.running.noteFinishing(32, Duration.ofNanos(30))).isFalse();
		assertThat(this.held.atSlots().overdue()).isEqualTo(1);
		this.held.report(AttemptResult.release(this.running));
		assertThat(this.held.atSlots().overdue()).as("once its thread is done with it").isZero();
		assertThat(this.held.active()).isZero();
	}

	@Test
	void oneWhoseResultWaitsForItsCommitIsNotAtWork() {
		this.running.finish();
		this.held.report(AttemptResult.release(this.running));
		assertThat(this.held.active()).isZero();
		assertThat(this.running.noteFinishing(100, Duration.ZERO)).isFalse();
		assertThat(this.held.size()).isEqualTo(2);
	}

	@Test
	void oneThatDoesNotReactIsGivenBackEvenIfItsResultCannotBeMade() {
		this.held.letGo(this.running, InterruptReason.TIMEOUT);
		this.held.giveUp(this.running, (attempt) -> {
			throw new OutOfMemoryError("of the test");
		});
		assertThat(this.results).extracting(AttemptResult::finish)
			.containsExactly(new Finish.Release(this.running.claim(), Duration.ofSeconds(10)));
	}

	private List<Attempt> chunk(int jobs) {
		List<Attempt> attempts = IntStream.range(10, 10 + jobs).mapToObj(this::attempt).toList();
		Chunk all = new Chunk(attempts, true);
		attempts.forEach((attempt) -> assertThat(attempt.startInChunk(all, 1)).isTrue());
		return attempts;
	}

	@Test
	void betweenTwoCallsOfItsChunkNobodyInterruptsAnAttempt() {
		List<Attempt> attempts = chunk(2);
		Chunk call = new Chunk(attempts.subList(0, 1), true);
		assertThat(attempts.get(0).resume(call, 1)).isTrue();
		assertThat(attempts.get(1).isTimedOut(Duration.ofDays(1).toNanos())).isFalse();
		assertThat(attempts.get(1).interrupt(InterruptReason.SHUTDOWN, 2)).isFalse();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(attempts.get(1).resume(new Chunk(attempts.subList(1, 2), false), 3)).as("it is to stop").isFalse();
		assertThat(this.held.releaseParked(attempts.get(1))).isTrue();
		assertThat(this.results).extracting(AttemptResult::finish)
			.containsExactly(new Finish.Release(attempts.get(1).claim(), Duration.ZERO));
		assertThat(this.held.releaseParked(attempts.get(0))).as("it runs").isFalse();
	}

	@Test
	void anAttemptThatWasToStopWhileItsCallEndedDoesNotRunAgain() {
		Attempt attempt = chunk(2).get(0);
		assertThat(attempt.resume(attempt.all(), 1)).isTrue();
		attempt.finish();
		assertThat(attempt.interrupt(InterruptReason.SHUTDOWN, 2)).isFalse();
		assertThat(attempt.park()).isTrue();
		assertThat(attempt.resume(attempt.all(), 3)).isFalse();
	}

	@Test
	void theTimeOfAnAttemptBeginsAnewWithEachCall() {
		Attempt attempt = chunk(2).get(0);
		long late = Duration.ofMinutes(2).toNanos();
		assertThat(attempt.resume(attempt.all(), 1)).isTrue();
		assertThat(attempt.isTimedOut(late)).isTrue();
		assertThat(attempt.interrupt(InterruptReason.TIMEOUT, late)).isTrue();
		assertThat(attempt.park()).isTrue();
		assertThat(attempt.resume(attempt.all(), late)).isTrue();
		assertThat(attempt.isTimedOut(late)).isFalse();
		assertThat(attempt.reason()).isNull();
	}

	@Test
	void aChunkThatDoesNotReactCostsOneSlotAndThoseBehindItAreReleased() {
		List<Attempt> attempts = chunk(4);
		Chunk call = new Chunk(attempts.subList(0, 2), true);
		for (Attempt attempt : call.attempts()) {
			attempt.resume(call, 1);
			attempt.interrupt(InterruptReason.TIMEOUT, 2);
			this.held.giveUp(attempt, AttemptResult::release);
		}
		assertThat(this.held.stuck()).isOne();
		assertThat(this.results).hasSize(4);
		assertThat(call.isStuck()).isTrue();
	}

	@Test
	void aSessionThatIsLostTakesThoseThatWaitForACallWithIt() {
		Attempt attempt = chunk(2).get(1);
		assertThat(this.held.letGo(attempt, InterruptReason.SESSION_LOST)).isFalse();
		assertThat(this.held.contains(attempt)).isFalse();
		assertThat(this.outcomes).containsExactly(Outcome.STALE);
		assertThat(attempt.resume(attempt.all(), 3)).isFalse();
		assertThat(this.results).as("nothing is written").isEmpty();
	}

}
