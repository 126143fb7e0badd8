package io.jobqueue.worker;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.retry.Decision;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.worker.Attempt.Reason;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one attempt on a slot's thread: start, invoke, decide, report.
 */
final class Execution {

	private static final Logger log = LoggerFactory.getLogger(Execution.class);

	private static final Duration AFTER_DISORDER = Duration.ofSeconds(10);

	private static final Duration LONGEST_DELAY = Duration.ofDays(36500);

	private final JobStore store;

	private final HandlerTransaction transaction;

	private final Node node;

	private final Finisher finisher;

	private final Reconciliation reconciliation;

	private final WorkerListener listener;

	Execution(JobStore store, HandlerTransaction transaction, Node node, Finisher finisher,
			Reconciliation reconciliation, WorkerListener listener) {
		this.store = store;
		this.transaction = transaction;
		this.node = node;
		this.finisher = finisher;
		this.reconciliation = reconciliation;
		this.listener = listener;
	}

	/**
	 * Runs an attempt.
	 * @return whether the thread may run another; not if the handler has left a
	 * transaction open on it, and so perhaps other things
	 */
	boolean run(Attempt attempt) {
		try {
			BoundTransactions before = BoundTransactions.now();
			if (start(attempt)) {
				Invocation invocation = withoutLeftovers(invoke(attempt), attempt, before);
				report(attempt, decide(attempt, invocation, attempt.finish()));
			}
		}
		catch (Attempt.AbandonedException ex) {
			this.node.stuck().decrementAndGet();
			this.node.wakeUp().signal();
			log.warn("{} job {} has returned at last; its slot is free again", attempt.job().type(),
					attempt.claim().id());
		}
		catch (Throwable ex) {
			while (!EngineThread.guarded("Giving back a job", () -> giveBack(attempt, ex))) {
				LockSupport.parkNanos(AFTER_DISORDER.toNanos() / 100);
			}
		}
		return attempt.isThreadClean();
	}

	/**
	 * Ends what the handler has left open. It has failed then even if it returned, unless
	 * its own transaction is committed.
	 */
	private static Invocation withoutLeftovers(Invocation invocation, Attempt attempt, BoundTransactions before) {
		if (before.isLeftOpen()) {
			before.restore();
			attempt.markThreadUnclean();
		}
		if (attempt.isThreadClean()) {
			return invocation;
		}
		log.warn("The handler of {} job {} has left a transaction open, which is rolled back: {}", attempt.job().type(),
				attempt.claim().id(), attempt.handler().invocation());
		return (invocation.kind() == Invocation.Kind.RETURNED)
				? new Invocation(Invocation.Kind.THREW, new BoundTransactions.LeftOpenException(attempt.handler()))
				: invocation;
	}

	private void giveBack(Attempt attempt, Throwable cause) {
		log.error("{} job {} could not be finished in an orderly way and is given back", attempt.job().type(),
				attempt.claim().id(), cause);
		this.finisher
			.add(new Report(attempt, new Finish.Release(attempt.claim(), AFTER_DISORDER), true, Duration.ZERO));
	}

	private boolean start(Attempt attempt) {
		if (!this.node.session().isCurrent()) {
			// Not ours to start. The poll loop gives it back once the session is good
			// again.
			if (attempt.drop()) {
				this.node.held().remove(attempt);
				this.reconciliation.request();
			}
			return false;
		}
		long now = this.node.nanoTime().getAsLong();
		if (!attempt.start(now)) {
			return false;
		}
		this.listener.started(attempt.job(), attempt.job().waited().plus(attempt.waited(now)));
		return true;
	}

	private Invocation invoke(Attempt attempt) {
		Handler handler = attempt.handler();
		ClaimedJob job = attempt.job();
		RunningJob context = RunningJob.of(job, attempt.maxAttempts());
		try {
			String payload = job.payload().large() ? largePayload(job) : job.payload().text();
			if (!handler.transactional()) {
				handler.invocation().invoke(payload, context);
				return Invocation.RETURNED;
			}
			boolean acked = this.transaction.run(attempt, () -> handler.invocation().invoke(payload, context));
			return acked ? Invocation.ACKED : Invocation.STALE;
		}
		catch (Throwable ex) {
			return new Invocation(Invocation.Kind.THREW, ex);
		}
	}

	/**
	 * One that is not there is no job without payload. It may have been moved, or be on
	 * its way to the server that answers, so the job is tried again.
	 */
	private String largePayload(ClaimedJob job) {
		String payload = this.store.payload(job.claim().id());
		if (payload == null) {
			throw new IllegalStateException("The job's payload is not in the database");
		}
		return payload;
	}

	/**
	 * Decides how the claim ends.
	 * @return the end, or null if it has ended already, in the handler's own transaction
	 */
	private @Nullable Report decide(Attempt attempt, Invocation invocation, @Nullable Reason interrupted) {
		Duration ran = attempt.ran(this.node.nanoTime().getAsLong());
		switch (invocation.kind()) {
			case ACKED -> {
				ended(attempt, Outcome.SUCCEEDED, ran);
				return null;
			}
			case STALE -> {
				log.warn("Result of {} job {} (attempt {}) rolled back: its claim was no longer current",
						attempt.job().type(), attempt.claim().id(), attempt.job().attempt());
				ended(attempt, Outcome.STALE, ran);
				return null;
			}
			case RETURNED -> {
				if (interrupted == null || interrupted == Reason.SESSION_LOST) {
					return new Report(attempt, new Finish.Ack(attempt.claim()), false, ran);
				}
			}
			case THREW -> {
			}
		}
		return new Report(attempt, failed(attempt, invocation.thrown(), interrupted),
				interrupted == Reason.CANCELLED || isOutage(invocation.thrown()), ran);
	}

	private Finish failed(Attempt attempt, @Nullable Throwable thrown, @Nullable Reason interrupted) {
		if (interrupted == Reason.SESSION_LOST && thrown != null) {
			// Perhaps its query kept the database from answering. Perhaps this node stood
			// still, so only what looks like the loss of a database can convict.
			Failure failure = FailureTexts.stored(attempt.job().attempt(), thrown);
			return isOutage(thrown) ? OutageEnd.after(attempt.job(), failure)
					: OutageEnd.withoutBlame(attempt.job(), failure);
		}
		if (interrupted == Reason.CANCELLED || interrupted == Reason.SESSION_LOST) {
			return new Finish.Release(attempt.claim(), Duration.ZERO);
		}
		if (interrupted == null && isOutage(thrown)) {
			attempt.markFailedByOutage();
			if (this.node.session().lostSince(attempt.startedNanos())) {
				log.info("{} job {} failed because the database was lost; the attempt is not counted",
						attempt.job().type(), attempt.claim().id());
				return OutageEnd.after(attempt.job(),
						FailureTexts.stored(attempt.job().attempt(), Objects.requireNonNull(thrown)));
			}
		}
		return decided(attempt, (interrupted != null) ? new InterruptedAttempt(interrupted, attempt, thrown) : thrown);
	}

	Finish decided(Attempt attempt, @Nullable Throwable thrown) {
		Throwable failure = (thrown != null) ? thrown : new IllegalStateException("No reason is known");
		ClaimedJob job = attempt.job();
		Failure stored = FailureTexts.stored(job.attempt(), failure);
		Decision decision = attempt.handler()
			.retry()
			.decide(failure, job.attempt(), attempt.maxAttempts(), this.node.random());
		if (decision instanceof Decision.RetryAfter retry) {
			Duration delay = clamped(retry.delay());
			log.debug("{} job {} failed (attempt {} of {}), next in {} ms: {}", job.type(), job.claim().id(),
					job.attempt(), attempt.maxAttempts(), delay.toMillis(), FailureTexts.oneLine(failure));
			return new Finish.Retry(attempt.claim(), delay, stored);
		}
		// Dead only once this is committed, and not at all if a commit of the handler's
		// own, whose answer was lost, took place.
		log.warn("{} job {} failed (attempt {} of {}) and becomes dead: {}", job.type(), job.claim().id(),
				job.attempt(), attempt.maxAttempts(), FailureTexts.oneLine(failure));
		log.debug("{} job {} failed", job.type(), job.claim().id(), failure);
		return new Finish.DeadLetter(attempt.claim(), stored);
	}

	/**
	 * No database counts further than the year 9999, and no job waits that long.
	 */
	private static Duration clamped(Duration delay) {
		return (delay.compareTo(LONGEST_DELAY) < 0) ? delay : LONGEST_DELAY;
	}

	private void report(Attempt attempt, @Nullable Report report) {
		if (report == null) {
			this.node.held().remove(attempt);
			this.node.wakeUp().signal();
			return;
		}
		this.finisher.add(report);
	}

	private void ended(Attempt attempt, Outcome outcome, Duration ran) {
		this.listener.finished(attempt.job(), outcome, ran);
		this.node.room().finished(1);
	}

	private static boolean isOutage(@Nullable Throwable thrown) {
		return thrown instanceof UnknownOutcomeException || (thrown != null && SqlFailure.isOutage(thrown));
	}

	/**
	 * What came of a handler's invocation.
	 */
	private record Invocation(Kind kind, @Nullable Throwable thrown) {

		static final Invocation RETURNED = new Invocation(Kind.RETURNED, null);

		static final Invocation ACKED = new Invocation(Kind.ACKED, null);

		static final Invocation STALE = new Invocation(Kind.STALE, null);

		enum Kind {

			RETURNED, THREW, ACKED, STALE

		}

	}

}
