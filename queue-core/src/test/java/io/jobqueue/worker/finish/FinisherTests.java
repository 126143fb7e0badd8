package io.jobqueue.worker.finish;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.observe.QueueObserver;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Finished;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.test.LogLines;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.AttemptEvents;
import io.jobqueue.worker.attempt.AttemptResult;
import io.jobqueue.worker.attempt.Capacity;
import io.jobqueue.worker.attempt.ClaimAhead;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.InterruptReason;
import io.jobqueue.worker.attempt.JobSignals;
import io.jobqueue.worker.run.FailureLog;
import io.jobqueue.worker.run.FinishDecision;
import io.jobqueue.worker.run.Watchdog;
import io.jobqueue.worker.session.WorkerSession;
import io.jobqueue.worker.thread.WakeUp;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.UncategorizedSQLException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

class FinisherTests {

	private final BlockingQueue<AttemptResult> results = new LinkedBlockingQueue<>();

	private final WorkerSettings.Slots slots = WorkerSettings.Slots.DEFAULT;

	private final AttemptEvents events = new AttemptEvents(new WorkerListener() {
	}, new Capacity(this.slots, System::nanoTime), new JobSignals(System::nanoTime), new WakeUp());

	/** The claims whose deadlines were dropped. */
	private final List<Claim> kept = new ArrayList<>();

	private final HeldAttempts held = new HeldAttempts(this.results::add, this.events, System::nanoTime);

	/**
	 * Who watches the attempts hands over results too, and must not be kept from
	 * enforcing timeouts by a database that is slow.
	 */
	@Test
	void handingOverAResultDoesNotBlock() {
		Attempt attempt = attempt(Suspicion.NONE);
		assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
			for (int i = 0; i < this.slots.concurrency() + this.slots.prefetch(); i++) {
				this.held.report(AttemptResult.release(attempt));
			}
		});
	}

	/**
	 * Its handler may still wait for a database that does not answer because of it.
	 */
	@Test
	void anAttemptThatWasGivenUpAfterItsSessionWasLostCountsAnOutage() throws Exception {
		List<Object> finished = new ArrayList<>();
		JobStore store = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> {
					finished.addAll((Collection<?>) arguments[0]);
					return Set.of();
				});
		Finisher finisher = finisher(store, System::nanoTime);
		// Even if it has had its solo runs: this node may just have stood still.
		Attempt attempt = attempt(new Suspicion(Degree.LIMITED, 0, 7));
		attempt.start(0);
		attempt.interrupt(InterruptReason.SESSION_LOST, 1);
		// Not where this test was to be interrupted itself.
		Thread.interrupted();
		FailureLog failures = new FailureLog(System::nanoTime);
		FinishDecision decision = new FinishDecision(null, System::nanoTime, new Random(1), failures);
		new Watchdog(this.held, null, null, decision, Duration.ofMinutes(1), System::nanoTime).giveUp(attempt);
		assertThat(this.held.stuck()).isEqualTo(1);
		finisher.step();
		assertThat(finished).singleElement().isInstanceOf(Finish.Outage.class);
	}

	/**
	 * It was given back unrun, and cancelled at the same time.
	 */
	@Test
	void ofAnAttemptThatNeverStartedNobodyIsTold() throws Exception {
		List<Outcome> outcomes = new ArrayList<>();
		WorkerListener listener = new WorkerListener() {

			@Override
			public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
				outcomes.add(outcome);
			}

		};
		AttemptEvents telling = new AttemptEvents(listener, new Capacity(this.slots, System::nanoTime),
				new JobSignals(System::nanoTime), new WakeUp());
		HeldAttempts holding = new HeldAttempts(this.results::add, telling, System::nanoTime);
		Attempt attempt = attempt(Suspicion.NONE);
		holding.add(attempt);
		JobStore store = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobStore.class },
				(proxy, called, arguments) -> called.getName().equals("finish") ? Set.of(attempt.claim()) : List.of());
		WorkerSession session = new WorkerSession(null, null, Duration.ofSeconds(1), () -> 0, () -> {
		}, System::nanoTime);
		DeferredResults deferred = new DeferredResults(this.kept::addAll, telling, System::nanoTime);
		holding.giveBack(attempt);
		new Finisher(this.results, holding,
				new ResultWriter(commits(store, session, holding), session, holding, deferred, System::nanoTime),
				deferred, this.slots, System::nanoTime)
			.step();
		assertThat(holding.size()).isZero();
		assertThat(outcomes).isEmpty();
	}

	/**
	 * Group Replication refuses a transaction that is too large, and says only that a
	 * hook has failed.
	 */
	@Test
	void aBatchThatIsRefusedAgainAndAgainIsMadeSmaller() throws Exception {
		List<Integer> sizes = new ArrayList<>();
		JobStore store = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> {
					int size = ((Collection<?>) arguments[0]).size();
					if (size > 2) {
						throw new UncategorizedSQLException("commit", null, new SQLException("hook", "HY000", 3100));
					}
					sizes.add(size);
					return Set.of();
				});
		Finisher finisher = finisher(store, System::nanoTime);
		for (int i = 0; i < 7; i++) {
			this.held.report(AttemptResult.release(attempt(Suspicion.NONE)));
		}
		finisher.step();
		assertThat(sizes).allMatch((size) -> size <= 2)
			.satisfies((all) -> assertThat(all.stream().mapToInt(Integer::intValue).sum()).isEqualTo(7));
	}

	/**
	 * A thousand transactions for one result would keep the others waiting for seconds.
	 */
	@Test
	void oneResultThatIsRefusedDoesNotCostATransactionForEachOther() throws Exception {
		Attempt refused = attempt(Suspicion.NONE);
		AtomicInteger transactions = new AtomicInteger();
		AtomicInteger written = new AtomicInteger();
		JobStore store = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> {
					Collection<?> finishes = (Collection<?>) arguments[0];
					transactions.incrementAndGet();
					if (finishes.stream().anyMatch((finish) -> ((Finish) finish).claim() == refused.claim())) {
						throw new DataIntegrityViolationException("refused");
					}
					written.addAndGet(finishes.size());
					return Set.of();
				});
		Finisher finisher = finisher(store, System::nanoTime);
		for (int i = 0; i < this.slots.flushSize(); i++) {
			this.held.report(AttemptResult.release((i == 700) ? refused : attempt(Suspicion.NONE)));
		}
		finisher.step();
		assertThat(written).hasValue(this.slots.flushSize() - 1);
		assertThat(finisher.waiting()).isOne();
		assertThat(transactions).hasValueLessThan(30);
	}

	/**
	 * As where a report has locked the range of the archive into which dead jobs go.
	 */
	@Test
	void resultsThatWaitForALockKeepNoOthers() throws Exception {
		AtomicLong clock = new AtomicLong();
		AtomicBoolean locked = new AtomicBoolean(true);
		List<LockWaits> waits = new ArrayList<>();
		AtomicInteger written = new AtomicInteger();
		AtomicReference<Finisher> finisher = new AtomicReference<>();
		List<Integer> told = new ArrayList<>();
		JobStore store = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> {
					Collection<?> finishes = (Collection<?>) arguments[0];
					waits.add((LockWaits) arguments[1]);
					told.add(finisher.get().waiting());
					if (locked.get() && finishes.stream().anyMatch(Finish.DeadLetter.class::isInstance)) {
						throw new CannotAcquireLockException("insert", new SQLException("waited", "40001", 1205));
					}
					written.addAndGet(finishes.size());
					return Set.of();
				});
		finisher.set(finisher(store, clock::get));
		for (int i = 0; i < 100; i++) {
			this.held.report((i % 10 == 3) ? deadLetter() : AttemptResult.release(attempt(Suspicion.NONE)));
		}
		finisher.get().step();
		assertThat(written).as("results of the other kind").hasValue(90);
		assertThat(finisher.get().waiting()).isEqualTo(10);
		assertThat(waits.get(0)).isEqualTo(LockWaits.USUAL);
		assertThat(waits.subList(1, waits.size())).as("each kind, parts of those that wait")
			.hasSizeBetween(2, 14)
			.containsOnly(LockWaits.SHORT);
		waits.clear();
		this.held.report(deadLetter());
		this.held.report(AttemptResult.release(attempt(Suspicion.NONE)));
		finisher.get().step();
		assertThat(waits).as("those of the other kind alone").containsExactly(LockWaits.SHORT);
		assertThat(written).hasValue(91);
		assertThat(finisher.get().waiting()).isEqualTo(11);
		waits.clear();
		told.clear();
		clock.addAndGet(Duration.ofMinutes(1).toNanos());
		finisher.get().step();
		assertThat(waits).as("all, and two that stand for the others").hasSize(3).containsOnly(LockWaits.SHORT);
		assertThat(this.kept).as("not to be rescued for their deadlines").hasSize(11);
		assertThat(told).as("those that are being tried wait too").containsOnly(11);
		assertThat(finisher.get().waiting()).isEqualTo(11);
		locked.set(false);
		clock.addAndGet(Duration.ofMinutes(1).toNanos());
		finisher.get().step();
		assertThat(written).hasValue(102);
		this.held.report(deadLetter());
		finisher.get().step();
		assertThat(written).as("of that kind one that is new").hasValue(103);
		assertThat(finisher.get().waiting()).isZero();
		assertThat(finisher.get().failingFor()).isZero();
	}

	/**
	 * The last few may take longer: which part is tried first is left to chance.
	 */
	@Test
	void manyResultsThatWaitForALockKeepNoneBehindThem() throws Exception {
		AtomicLong clock = new AtomicLong();
		List<AttemptResult> results = IntStream.range(0, 1000).mapToObj((i) -> deadLetter(i)).toList();
		Set<Long> written = new HashSet<>();
		JobStore store = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> {
					List<Long> ids = ((Collection<?>) arguments[0]).stream()
						.map((finish) -> ((Finish) finish).claim().id())
						.toList();
					if (ids.stream().anyMatch((id) -> id < 200)) {
						throw new CannotAcquireLockException("insert", new SQLException("waited", "40001", 1205));
					}
					written.addAll(ids);
					return Set.of();
				});
		Finisher finisher = finisher(store, clock::get);
		results.forEach(this.held::report);
		for (int tries = 0; tries < 10; tries++) {
			finisher.step();
			clock.addAndGet(Duration.ofMinutes(1).toNanos());
		}
		assertThat(written).hasSizeGreaterThan(750);
		assertThat(finisher.waiting()).isEqualTo(1000 - written.size());
	}

	/**
	 * The second waits for its row, as where an operator keeps it locked.
	 */
	@Test
	void ofAKindThatCanBeCommittedAgainNewResultsAreTried() throws Exception {
		AtomicLong clock = new AtomicLong();
		AtomicBoolean locked = new AtomicBoolean(true);
		List<Long> written = new ArrayList<>();
		JobStore store = store((finishes) -> {
			if (locked.get()) {
				throw new CannotAcquireLockException("insert", new SQLException("waited", "40001", 1205));
			}
			finishes.stream().filter((id) -> id != 2).forEach(written::add);
			return finishes.contains(2L) ? Set.of(new Claim(2, 1, 1)) : Set.of();
		});
		Finisher finisher = finisher(store, clock::get);
		this.held.report(deadLetter(1));
		this.held.report(deadLetter(2));
		finisher.step();
		assertThat(finisher.waiting()).isEqualTo(2);
		locked.set(false);
		clock.addAndGet(Duration.ofMinutes(1).toNanos());
		finisher.step();
		assertThat(finisher.waiting()).isOne();
		this.held.report(deadLetter(3));
		finisher.step();
		assertThat(written).containsExactly(1L, 3L);
	}

	/**
	 * As by a claim of another worker that comes too late.
	 */
	@Test
	void aRowThatIsLockedForAMomentIsNoTrouble() throws Exception {
		AtomicLong clock = new AtomicLong();
		AtomicBoolean locked = new AtomicBoolean(true);
		JobStore store = store((finishes) -> locked.get() ? Set.of(new Claim(1, 1, 1)) : Set.of());
		Finisher finisher = finisher(store, clock::get);
		try (LogLines log = LogLines.of(DeferredResults.class)) {
			this.held.report(deadLetter(1));
			finisher.step();
			assertThat(finisher.waiting()).isOne();
			assertThat(finisher.refusedAgain()).isZero();
			assertThat(log.messages()).noneMatch((line) -> line.startsWith("WARN"));
			clock.addAndGet(Duration.ofMillis(600).toNanos());
			finisher.step();
			assertThat(finisher.refusedAgain()).isOne();
			assertThat(log.messages()).filteredOn((line) -> line.startsWith("WARN")).hasSize(1);
			clock.addAndGet(Duration.ofMinutes(1).toNanos());
			finisher.step();
			assertThat(log.messages()).as("told once").filteredOn((line) -> line.startsWith("WARN")).hasSize(1);
			locked.set(false);
			clock.addAndGet(Duration.ofMinutes(1).toNanos());
			finisher.step();
			assertThat(finisher.waiting()).isZero();
			assertThat(finisher.refusedAgain()).isZero();
		}
	}

	/**
	 * Others that are locked for longer neither hide it nor repeat it.
	 */
	@Test
	void eachRowThatStaysLockedIsToldOfOnce() throws Exception {
		AtomicLong clock = new AtomicLong();
		Set<Claim> locked = new HashSet<>(Set.of(new Claim(1, 1, 1), new Claim(2, 1, 1)));
		JobStore store = store((finishes) -> Set.copyOf(locked));
		Finisher finisher = finisher(store, clock::get);
		try (LogLines log = LogLines.of(DeferredResults.class)) {
			this.held.report(deadLetter(1));
			finisher.step();
			for (int tries = 0; tries < 3; tries++) {
				clock.addAndGet(Duration.ofMinutes(1).toNanos());
				finisher.step();
			}
			this.held.report(deadLetter(2));
			finisher.step();
			clock.addAndGet(Duration.ofMinutes(1).toNanos());
			finisher.step();
			locked.remove(new Claim(2, 1, 1));
			for (int tries = 0; tries < 3; tries++) {
				clock.addAndGet(Duration.ofMinutes(1).toNanos());
				finisher.step();
			}
			assertThat(finisher.waiting()).isOne();
			assertThat(log.messages()).filteredOn((line) -> line.startsWith("WARN"))
				.satisfiesExactly((line) -> assertThat(line).contains("job 1 "),
						(line) -> assertThat(line).contains("job 2 "));
		}
	}

	/**
	 * As where a report has locked a part of the archive.
	 */
	@Test
	void theLastResultsThatWaitForALockKeepNoNewOnesOfTheirKind() throws Exception {
		AtomicLong clock = new AtomicLong();
		List<Long> written = new ArrayList<>();
		JobStore store = store((finishes) -> {
			if (finishes.stream().anyMatch((id) -> id < 3)) {
				throw new CannotAcquireLockException("insert", new SQLException("waited", "40001", 1205));
			}
			written.addAll(finishes);
			return Set.of();
		});
		Finisher finisher = finisher(store, clock::get);
		for (long id = 1; id <= 4; id++) {
			this.held.report(deadLetter(id));
		}
		finisher.step();
		for (long id = 5; id <= 10; id++) {
			clock.addAndGet(Duration.ofMinutes(1).toNanos());
			this.held.report(deadLetter(id));
			finisher.step();
			assertThat(written).contains(id);
		}
		assertThat(finisher.waiting()).isEqualTo(2);
	}

	/**
	 * A store that writes results by the ids of their jobs.
	 * @param finish commits jobs, and returns the claims that it has left out
	 */
	private static JobStore store(Function<List<Long>, Set<Claim>> finish) {
		return (JobStore) Proxy.newProxyInstance(FinisherTests.class.getClassLoader(),
				new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> switch (called.getName()) {
					case "finish" -> finish.apply(
							((Collection<?>) arguments[0]).stream().map((one) -> ((Finish) one).claim().id()).toList());
					case "heldBy" -> List.of(new Claim(1, 1, 1), new Claim(2, 1, 1));
					default -> throw new UnsupportedOperationException(called.getName());
				});
	}

	private static AttemptResult deadLetter() {
		return deadLetter(1);
	}

	private static AttemptResult deadLetter(long id) {
		Attempt attempt = attempt(id, Suspicion.NONE);
		return new AttemptResult(attempt,
				new Finish.DeadLetter(attempt.claim(), Failure.of(1, "java.lang.IllegalStateException", "dead")), false,
				Duration.ZERO);
	}

	@Test
	void forHowLongNoResultCouldBeCommittedIsTold() throws Exception {
		AtomicLong clock = new AtomicLong();
		List<Duration> told = new ArrayList<>();
		AtomicReference<Finisher> finisher = new AtomicReference<>();
		JobStore store = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> {
					told.add(finisher.get().failingFor());
					clock.addAndGet(Duration.ofSeconds(6).toNanos());
					if (told.size() < 4) {
						throw new UncategorizedSQLException("commit", null, new SQLException("full", "HY000", 1114));
					}
					return Set.of();
				});
		finisher.set(finisher(store, clock::get));
		this.held.report(AttemptResult.release(attempt(Suspicion.NONE)));
		finisher.get().step();
		assertThat(told).as("from the start of the first commit")
			.containsExactly(Duration.ZERO, Duration.ofSeconds(6), Duration.ofSeconds(12), Duration.ofSeconds(18));
		assertThat(finisher.get().failingFor()).isZero();
	}

	private Finisher finisher(JobStore store, LongSupplier nanoTime) {
		DeferredResults deferred = new DeferredResults(this.kept::addAll, this.events, nanoTime);
		WorkerSession session = new WorkerSession(null, null, Duration.ofSeconds(1), () -> 0, () -> {
		}, System::nanoTime);
		return new Finisher(this.results, this.held,
				new ResultWriter(commits(store, session, this.held), session, this.held, deferred, nanoTime), deferred,
				this.slots, System::nanoTime);
	}

	@Test
	void whatCouldNotBeTriedAgainIsNotForgotten() {
		AtomicLong clock = new AtomicLong();
		DeferredResults deferred = new DeferredResults(this.kept::addAll, this.events, clock::get);
		deferred.addLocked(AttemptResult.release(attempt(Suspicion.NONE)));
		clock.addAndGet(Duration.ofMinutes(1).toNanos());
		assertThatThrownBy(() -> deferred.tryAgain((again) -> {
			throw new OutOfMemoryError("for a test");
		})).isInstanceOf(OutOfMemoryError.class);
		assertThat(deferred.size()).isEqualTo(1);
	}

	@Test
	void aConvictionIsWrittenAsItWasHoweverOftenItsCommitFails() {
		Attempt attempt = attempt(new Suspicion(Degree.LIMITED, 0, 5));
		attempt.marks().failedByOutage();
		Failure failure = Failure.of(1, "java.lang.IllegalStateException", "killed");
		AttemptResult report = new AttemptResult(attempt, new Finish.Retry(attempt.claim(), Duration.ZERO, failure),
				false, Duration.ZERO);
		AttemptResult convicted = report.afterOutage();
		assertThat(convicted.finish()).isInstanceOf(Finish.DeadLetter.class);
		assertThat(convicted.afterOutage()).isEqualTo(convicted);
	}

	private static Attempt attempt(Suspicion suspicion) {
		return attempt(1, suspicion);
	}

	private static Attempt attempt(long id, Suspicion suspicion) {
		ClaimedJob job = new ClaimedJob(new Claim(id, 1, 1), "any",
				new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO), 1, 0, Duration.ZERO, suspicion,
				Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false));
		return new Attempt(job, null, 0);
	}

	/** None of these jobs has an order key. */
	private static Commits commits(JobStore store, WorkerSession session, HeldAttempts held) {
		ClaimStore plain = (ClaimStore) Proxy.newProxyInstance(FinisherTests.class.getClassLoader(),
				new Class<?>[] { ClaimStore.class }, (proxy, called, arguments) -> {
					if (!called.getName().equals("finish")) {
						return called.invoke(store, arguments);
					}
					return new Finished(
							store.finish(((Collection<?>) arguments[0]).stream().map(Finish.class::cast).toList(),
									(LockWaits) arguments[1]),
							Finished.Keys.NONE);
				});
		return new Commits(plain, session, held, new ClaimAhead(System::nanoTime),
				new Commits.Worker(new Handlers(), (queue) -> true, Deadlines.always(Deadlines.NEVER), (attempt) -> {
				}, (ready) -> {
				}, QueueObserver.NONE), System::nanoTime);
	}

}
