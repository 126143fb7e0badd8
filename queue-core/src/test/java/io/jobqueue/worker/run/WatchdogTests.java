package io.jobqueue.worker.run;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.AttemptEvents;
import io.jobqueue.worker.attempt.AttemptResult;
import io.jobqueue.worker.attempt.Capacity;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.JobSignals;
import io.jobqueue.worker.session.WorkerSession;
import io.jobqueue.worker.thread.WakeUp;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When jobs are given back that wait for the only slot of a worker.
 */
class WatchdogTests {

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);

	private final WorkerSettings.Slots settings = WorkerSettings.Slots.DEFAULT.withConcurrency(1);

	private final AtomicLong clock = new AtomicLong(1);

	private final List<Claim> givenBack = new ArrayList<>();

	private final Semaphore mayEnd = new Semaphore(0);

	private final HeldAttempts held = new HeldAttempts(this::note, new AttemptEvents(new WorkerListener() {
	}, new Capacity(this.settings, this.clock::get), new JobSignals(System::nanoTime), new WakeUp()), this.clock::get);

	private final Slots slots = new Slots(this.settings, this.clock::get);

	private final WorkerSessions sessions = (WorkerSessions) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { WorkerSessions.class }, (proxy, called, arguments) -> 1L);

	private final WorkerSession session = new WorkerSession(this.sessions, null, Duration.ofDays(1), () -> 0, () -> {
	}, this.clock::get);

	private final Watchdog watchdog = new Watchdog(this.held, this.slots, this.session, null, LONGEST_WAIT,
			this.clock::get);

	private long lastId;

	private void note(AttemptResult result) {
		this.givenBack.add(result.attempt().claim());
	}

	@BeforeEach
	void start() {
		this.session.beat();
		this.slots.start((attempt) -> {
			attempt.start(this.clock.get());
			this.mayEnd.acquireUninterruptibly();
			return true;
		}, () -> {
		});
	}

	@AfterEach
	void stop() {
		this.slots.stop();
		this.mayEnd.release(1000);
	}

	private Attempt add() {
		return add(Duration.ZERO);
	}

	private Attempt add(Duration claimTook) {
		ClaimedJob job = new ClaimedJob(new Claim(++this.lastId, 1, 1), "any",
				new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO), 1, 0, Duration.ZERO, Suspicion.NONE,
				Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false));
		Attempt attempt = new Attempt(job, new Handler("any", (payload, context) -> {
		}, RetryPolicy.DEFAULT, Duration.ZERO, false), this.clock.get() - claimTook.toNanos());
		this.held.add(attempt);
		this.slots.add(attempt);
		return attempt;
	}

	private void awaitStart(Attempt attempt) {
		Awaitility.await().until(() -> !attempt.isWaiting());
	}

	private void look(Duration after) {
		this.clock.addAndGet(after.toNanos());
		this.watchdog.run();
	}

	@Test
	void jobsThatWaitBehindASlowOneAreGivenBackAfterTwoSeconds() {
		awaitStart(add());
		Attempt second = add();
		Attempt third = add();
		look(Duration.ofMillis(2_000));
		assertThat(this.givenBack).isEmpty();
		look(Duration.ofMillis(1));
		assertThat(this.givenBack).containsExactlyInAnyOrder(second.claim(), third.claim());
	}

	/**
	 * Else jobs of 100 ms on many virtual threads and few processors would go back and
	 * forth.
	 */
	@Test
	void jobsThatTheSlotsComeToAreKept() {
		awaitStart(add());
		List<Attempt> next = Stream.generate(this::add).limit(8).toList();
		for (Attempt attempt : next) {
			this.clock.addAndGet(Duration.ofMillis(900).toNanos());
			this.mayEnd.release();
			awaitStart(attempt);
			look(Duration.ofMillis(900));
		}
		assertThat(this.givenBack).isEmpty();
	}

	/**
	 * While their claim went on, nothing was added or taken.
	 */
	@Test
	void jobsOfASlowClaimAreKept() {
		awaitStart(add());
		this.clock.addAndGet(Duration.ofSeconds(10).toNanos());
		add(Duration.ofSeconds(10));
		look(Duration.ofSeconds(1));
		assertThat(this.givenBack).isEmpty();
	}

	@Test
	void aJobThatOthersOvertakeIsGivenBackInTheEnd() {
		awaitStart(add());
		Attempt second = add();
		for (int i = 0; i < 16; i++) {
			assertThat(this.givenBack).isEmpty();
			this.clock.addAndGet(Duration.ofSeconds(1).toNanos());
			add();
			this.watchdog.run();
		}
		assertThat(this.givenBack).containsExactly(second.claim());
	}

}
