package io.jobqueue.worker.poll;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.jobqueue.store.WorkerSessions;
import io.jobqueue.test.Together;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.AttemptEvents;
import io.jobqueue.worker.attempt.Capacity;
import io.jobqueue.worker.attempt.ClaimAhead;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.JobSignals;
import io.jobqueue.worker.session.WorkerSession;
import io.jobqueue.worker.thread.WakeUp;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PollLoopTests {

	private static final Duration HEARTBEAT = Duration.ofMillis(1);

	private static final PollRound.Source NONE = new PollRound.Source(null, null, new ClaimAhead(System::nanoTime));

	private final WakeUp wakeUp = new WakeUp();

	private final PollDelay delay = new PollDelay(Duration.ofSeconds(1), new Random(1));

	private final HeldAttempts held = new HeldAttempts((result) -> {
	}, new AttemptEvents(new WorkerListener() {
	}, new Capacity(WorkerSettings.Slots.DEFAULT, System::nanoTime), new JobSignals(System::nanoTime), this.wakeUp),
			System::nanoTime);

	private final AtomicLong clock = new AtomicLong();

	private final WorkerSessions sessions = (WorkerSessions) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { WorkerSessions.class }, (proxy, called, arguments) -> 1L);

	private final WorkerSession session = new WorkerSession(this.sessions, null, Duration.ofSeconds(1), () -> 0, () -> {
	}, this.clock::get);

	/**
	 * What is done between two rounds, and works, does not tell whether polling does.
	 */
	@Test
	void isFailingUntilARoundSucceeds() throws InterruptedException {
		PollLoop loop = loop(new PollRound(null, NONE, null, null, null, null));
		for (int round = 0; round < 3; round++) {
			assertThat(loop.step()).isTrue();
			assertThat(loop.isFailing()).isTrue();
		}
	}

	/**
	 * As in an outage that lasts: without a session nothing is asked.
	 */
	@Test
	void isFailingThoughThereIsNoSessionAnyMore() throws InterruptedException {
		Claimer claimer = new Claimer(null, this.session, new Handlers(), null, null, System::nanoTime);
		PollLoop loop = loop(new PollRound(null, NONE, null, claimer, null, null));
		this.session.beat();
		this.held.takeComparisonRequest();
		assertThat(loop.step()).isTrue();
		assertThat(loop.isFailing()).isTrue();
		this.clock.addAndGet(Duration.ofSeconds(2).toNanos());
		assertThat(loop.step()).isTrue();
		assertThat(loop.isFailing()).isTrue();
	}

	/**
	 * Enqueues of this node wake it up, as often as they are.
	 */
	@Test
	void whoWakesItUpDoesNotEndThePauseAfterAFailure() throws InterruptedException {
		PollLoop loop = loop(new PollRound(null, NONE, null, null, null, new PollRound.Settings(1, this.delay, null)));
		for (int failures = 0; failures < 3; failures++) {
			this.wakeUp.signal();
			long before = System.nanoTime();
			loop.step();
			assertThat(Duration.ofNanos(System.nanoTime() - before))
				.isGreaterThanOrEqualTo(Duration.ofMillis(50L << failures));
		}
	}

	/**
	 * It may be as long as the polling interval.
	 */
	@Test
	void whatFailsDuringALongWaitDoesNotKeepItFromBeingEndedByAWakeUp() {
		AtomicBoolean connected = new AtomicBoolean();
		LongSupplier clock = () -> {
			if (connected.get()) {
				this.session.beat();
			}
			return 0;
		};
		Claimer claimer = new Claimer(null, this.session, new Handlers(), null, null, System::nanoTime);
		PollLoop loop = loop(
				new PollRound(null, NONE, null, claimer, null, new PollRound.Settings(1, this.delay, null)), clock);
		this.held.requestComparison();
		// Without a session the round asks nothing, and so does not fail. The wait begins
		// with a session, and never ends by itself.
		connected.set(true);
		Together.run(2, (thread) -> {
			if (thread == 0) {
				return loop.step();
			}
			Awaitility.await().until(loop::isFailing);
			this.wakeUp.signal();
			return true;
		});
	}

	private PollLoop loop(PollRound round) {
		return loop(round, System::nanoTime);
	}

	private PollLoop loop(PollRound round, LongSupplier nanoTime) {
		Reconciliation reconciliation = new Reconciliation(null, this.held, new ClaimAhead(System::nanoTime),
				this.session, HEARTBEAT, System::nanoTime);
		return new PollLoop(round, reconciliation, this.wakeUp, HEARTBEAT, nanoTime, new Random(1));
	}

}
