package io.jobqueue.worker.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import io.jobqueue.observe.Observed;
import io.jobqueue.store.Finish;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.attempt.AbandonedException;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.AttemptEnd;
import io.jobqueue.worker.attempt.AttemptResult;
import io.jobqueue.worker.attempt.Chunk;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.InterruptReason;
import io.jobqueue.worker.attempt.MissedJobs;
import io.jobqueue.worker.run.RunUnit.Ran;
import io.jobqueue.worker.session.WorkerSession;
import io.jobqueue.worker.thread.ResilientThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a slot does with an attempt: start, run the handler, decide, report.
 */
public final class AttemptRunner implements Slots.Work {

	private static final Logger log = LoggerFactory.getLogger(AttemptRunner.class);

	private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	/** Of payloads in one call. */
	private static final long MOST_CHARS = 8 * 1024 * 1024;

	private final WorkerSession session;

	private final HeldAttempts held;

	private final HandlerRuns handlers;

	private final FinishDecision decision;

	private final MissedJobs missed;

	private final LongSupplier nanoTime;

	public AttemptRunner(WorkerSession session, HeldAttempts held, HandlerRuns handlers, FinishDecision decision,
			MissedJobs missed, LongSupplier nanoTime) {
		this.session = session;
		this.held = held;
		this.handlers = handlers;
		this.decision = decision;
		this.missed = missed;
		this.nanoTime = nanoTime;
	}

	/**
	 * Runs an attempt.
	 * @return whether the thread may run another; not if the handler has left a
	 * transaction open on it, and so perhaps other things
	 */
	@Override
	public boolean run(Attempt attempt) {
		try {
			LogContext.set(attempt.job());
			BoundTransactions before = BoundTransactions.now();
			if (start(attempt)) {
				runStarted(attempt, before);
			}
		}
		catch (AbandonedException ex) {
			this.held.returnedAtLast();
			log.warn("The handler of {} job {} has returned after it was given up; its slot is free again",
					attempt.job().type(), attempt.claim().id());
		}
		catch (Throwable ex) {
			giveBackSurely(attempt, ex);
		}
		finally {
			LogContext.clear();
		}
		return attempt.marks().isThreadClean();
	}

	/**
	 * Runs attempts of one batch handler.
	 */
	@Override
	public boolean runChunk(List<Attempt> attempts) {
		List<Attempt> started = new ArrayList<>();
		try {
			LogContext.set(attempts);
			Chunk all = new Chunk(attempts, true);
			attempts.stream()
				.filter((attempt) -> attempt.startInChunk(all, this.nanoTime.getAsLong()))
				.forEach(started::add);
			for (List<ChunkMember> members = readFirst(started); !members.isEmpty(); members = read(started)) {
				new ChunkRunner(this.held, this.handlers, this.decision, this.session, this.nanoTime).run(members);
			}
		}
		catch (Throwable ex) {
			attempts.stream()
				.filter((attempt) -> attempt.isActive() && this.held.contains(attempt))
				.forEach((attempt) -> giveBackSurely(attempt, ex));
		}
		finally {
			LogContext.clear();
		}
		return attempts.stream().allMatch((attempt) -> attempt.marks().isThreadClean());
	}

	/**
	 * Reads those of the first call. The others wait as if that had parked them: the
	 * deadlines of their claims may be over before they are called.
	 */
	private List<ChunkMember> readFirst(List<Attempt> started) {
		List<ChunkMember> members = read(started);
		if (started.isEmpty()) {
			return members;
		}
		try {
			this.handlers.dropDeadlines(started.stream().map(Attempt::claim).toList());
		}
		catch (RuntimeException ex) {
			log.debug("Jobs of a chunk are released, since the database does not answer", ex);
			started.forEach(this.held::releaseParked);
			started.clear();
		}
		return members;
	}

	/**
	 * Reads payloads, as many as fit into memory. What cannot be read is the fault of its
	 * job alone.
	 * @param started the attempts that have started; those that are read are taken out
	 */
	private List<ChunkMember> read(List<Attempt> started) {
		List<ChunkMember> members = new ArrayList<>();
		long chars = 0;
		for (Iterator<Attempt> left = started.iterator(); left.hasNext() && chars < MOST_CHARS;) {
			Attempt attempt = left.next();
			left.remove();
			try {
				HandlerRuns.Read read = this.handlers.read(attempt);
				chars += read.chars();
				members.add(new ChunkMember(attempt, read.item()));
			}
			catch (Throwable ex) {
				if (attempt.resume(new Chunk(List.of(attempt), true), this.nanoTime.getAsLong())) {
					this.held.report(this.decision.failed(attempt, ex, attempt.finish()));
				}
				else {
					this.held.releaseParked(attempt);
				}
			}
		}
		return members;
	}

	private boolean start(Attempt attempt) {
		if (!this.session.isCurrent()) {
			// Not ours to start. The poll loop gives it back once the session is good
			// again.
			this.held.letGo(attempt, InterruptReason.SESSION_LOST);
			this.held.requestComparison();
			return false;
		}
		return attempt.start(this.nanoTime.getAsLong());
	}

	/**
	 * The observer is told of the end when the attempt cannot be interrupted any more,
	 * and before the result is reported: a worker that stops waits for results only.
	 */
	private void runStarted(Attempt attempt, BoundTransactions before) {
		Observed observed = this.handlers.observed(attempt);
		Runnable report;
		try {
			report = runObserved(attempt, before, observed);
		}
		finally {
			observed.end();
		}
		report.run();
	}

	private Runnable runObserved(Attempt attempt, BoundTransactions before, Observed observed) {
		Ran ran;
		try {
			ran = this.handlers.run(attempt);
		}
		catch (Throwable ex) {
			before.restoreAfter(attempt);
			InterruptReason interrupted = attempt.finish();
			observed.failed(ex);
			AttemptResult failed = this.decision.failed(attempt, ex, interrupted);
			return () -> this.held.report(failed);
		}
		before.restoreAfter(attempt);
		InterruptReason interrupted = attempt.finish();
		return switch (ran) {
			case RETURNED -> {
				AttemptResult returned = this.decision.returned(attempt, interrupted);
				if (interrupted != null && !(returned.finish() instanceof Finish.Ack)) {
					observed.failed((interrupted == InterruptReason.CANCELLED) ? new StaleClaimException()
							: new InterruptedAttempt(interrupted, attempt, null));
				}
				yield () -> this.held.report(returned);
			}
			case MISSED -> () -> {
				this.missed.add(attempt.claim().id());
				ended(attempt, null);
			};
			case ACKED -> () -> ended(attempt, Outcome.SUCCEEDED);
			case STALE -> {
				log.warn("Result of {} job {} (attempt {}) rolled back: its claim was no longer current",
						attempt.job().type(), attempt.claim().id(), attempt.job().attempt());
				observed.failed(new StaleClaimException());
				yield () -> ended(attempt, Outcome.STALE);
			}
		};
	}

	private void ended(Attempt attempt, @Nullable Outcome outcome) {
		this.held.ended(List.of(new AttemptEnd(attempt, outcome, attempt.ran(this.nanoTime.getAsLong()))));
	}

	private void giveBackSurely(Attempt attempt, Throwable cause) {
		while (!ResilientThread.guarded("giving back a job", () -> giveBack(attempt, cause))) {
			LockSupport.parkNanos(PAUSE_NANOS);
		}
	}

	private void giveBack(Attempt attempt, Throwable cause) {
		log.error("{} job {} could not be finished in an orderly way and is given back", attempt.job().type(),
				attempt.claim().id(), cause);
		this.held.report(AttemptResult.disorderly(attempt));
	}

}
