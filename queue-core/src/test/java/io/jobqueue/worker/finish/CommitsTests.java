package io.jobqueue.worker.finish;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.poison.Suspicion;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.observe.QueueObserver;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimNext;
import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Finished;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The next job of an order key is claimed with the end of the one before it.
 */
class CommitsTests {

	private final JobSignals signals = new JobSignals(System::nanoTime);

	private final List<AttemptResult> results = new ArrayList<>();

	private final List<Attempt> started = new ArrayList<>();

	private final HeldAttempts held = new HeldAttempts(this.results::add, new AttemptEvents(new WorkerListener() {
	}, new Capacity(WorkerSettings.Slots.DEFAULT, System::nanoTime), this.signals, new WakeUp()), System::nanoTime);

	private final AtomicLong sessions = new AtomicLong();

	private final AtomicBoolean alive = new AtomicBoolean(true);

	private final WorkerSession session = new WorkerSession(
			(WorkerSessions) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { WorkerSessions.class },
					(proxy, called, arguments) -> called.getName().equals("open") ? this.sessions.incrementAndGet()
							: this.alive.get()),
			new WorkerSessions.NewSession("worker", 1, List.of(), List.of()), Duration.ofDays(1), () -> 0,
			this.held::letGoAll, System::nanoTime);

	/** What happens while the transaction is committed. */
	private Runnable meanwhile = () -> {
	};

	private ClaimNext asked = ClaimNext.NONE;

	private final Commits commits = new Commits((ClaimStore) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { ClaimStore.class }, (proxy, called, arguments) -> {
				this.asked = (ClaimNext) arguments[2];
				this.meanwhile.run();
				return new Finished(Set.of(), new Finished.Keys(Set.of(1L), List.of(),
						this.asked.isToClaim() ? List.of(job(this.asked.sessionId())) : List.of()));
			}), this.session, this.held, this.signals.ahead(),
			new Commits.Worker(new Handlers(List.of(new Handler("any", (payload, context) -> {
			}, RetryPolicy.DEFAULT, Duration.ZERO, false))), (queue) -> true, Deadlines.always(Duration.ofMinutes(1)),
					this.started::add, (ready) -> {
					}, QueueObserver.NONE),
			System::nanoTime);

	@BeforeEach
	void isIdle() {
		this.session.beat();
		this.signals.ahead().nothingIsDue(8);
	}

	private static ClaimedJob job(long session) {
		return new ClaimedJob(new Claim(2, 1, session), "any",
				new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO), 1, 0, Duration.ZERO, Suspicion.NONE,
				Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false));
	}

	private Finished finish() {
		return this.commits.finish(List.of(new Finish.Ack(new Claim(1, 1, this.session.id()))), LockWaits.USUAL);
	}

	@Test
	void whatIsClaimedIsHeldBeforeItStarts() {
		assertThat(finish().keys().claimed()).hasSize(1);
		assertThat(this.asked.most()).isEqualTo(8);
		assertThat(this.held.size()).isOne();
		assertThat(this.started).isEmpty();
		this.commits.start();
		assertThat(this.started).hasSize(1);
		this.commits.start();
		assertThat(this.started).hasSize(1);
	}

	/** Others rescue the job, and run it. */
	@Test
	void whatWasClaimedForASessionThatEndedDuringTheCommitDoesNotStart() {
		this.meanwhile = () -> {
			this.alive.set(false);
			this.session.beat();
		};
		finish();
		this.commits.start();
		assertThat(this.started).isEmpty();
		assertThat(this.held.size()).isZero();
		assertThat(this.results).isEmpty();
	}

	@Test
	void whatWasClaimedByAWorkerThatStopsIsGivenBack() {
		this.meanwhile = this.signals.ahead()::stop;
		finish();
		this.commits.start();
		assertThat(this.started).isEmpty();
		assertThat(this.results).singleElement()
			.satisfies((result) -> assertThat(result.finish()).isInstanceOf(Finish.Release.class));
	}

	/** The commit may have taken place. */
	@Test
	void anErrorAsksForAComparisonAndLeavesTheNextCommitFree() {
		this.meanwhile = () -> {
			throw new IllegalStateException("for a test");
		};
		assertThatThrownBy(this::finish).hasMessage("for a test");
		assertThat(this.held.takeComparisonRequest()).isTrue();
		this.meanwhile = () -> {
		};
		assertThat(finish().keys().claimed()).hasSize(1);
	}

	@Test
	void nothingIsClaimedWithoutASession() {
		this.alive.set(false);
		this.session.close();
		finish();
		assertThat(this.asked.isToClaim()).isFalse();
		assertThat(this.held.size()).isZero();
	}

}
