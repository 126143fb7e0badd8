package io.jobqueue.worker.finish;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.jobqueue.observe.Observed;
import io.jobqueue.observe.QueueObserver;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimNext;
import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Finished;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.OrderKeys.NowReady;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.attempt.AtSlots;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.AttemptEnd;
import io.jobqueue.worker.attempt.ClaimAhead;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.InterruptReason;
import io.jobqueue.worker.session.WorkerSession;

/**
 * Commits results together with what follows from them for order keys: the next job of
 * each is ready, or is this worker's at once. Used by the finisher's thread only.
 */
public final class Commits {

	private final ClaimStore store;

	private final WorkerSession session;

	private final HeldAttempts held;

	private final ClaimAhead ahead;

	private final Worker worker;

	private final Set<String> types;

	private final LongSupplier nanoTime;

	/** Those that have not got to a slot yet. */
	private final List<Attempt> claimed = new ArrayList<>();

	/**
	 * Creates it.
	 * @param store where jobs are
	 * @param session the worker's session
	 * @param held the attempts that the worker holds
	 * @param ahead whether next jobs may be claimed
	 * @param worker what the worker does with them
	 * @param nanoTime the monotonic clock
	 */
	public Commits(ClaimStore store, WorkerSession session, HeldAttempts held, ClaimAhead ahead, Worker worker,
			LongSupplier nanoTime) {
		this.store = store;
		this.session = session;
		this.held = held;
		this.ahead = ahead;
		this.worker = worker;
		this.types = Set.copyOf(worker.handlers().types());
		this.nanoTime = nanoTime;
	}

	/**
	 * Ends claims. What is claimed with that is held when this returns, and starts with
	 * {@link #start}.
	 */
	Finished finish(Collection<? extends Finish> finishes, LockWaits waits) {
		long session = this.session.id();
		if (!this.session.isCurrent() || !this.ahead.begin()) {
			return noted(write(finishes, waits, ClaimNext.NONE));
		}
		try {
			// An attempt that has come here runs no more.
			int most = this.ahead.mostToRun() - AtSlots.rounded(this.held.atSlots().toRun());
			Finished finished = write(finishes, waits,
					new ClaimNext(session, this.types, this.worker.queues(), this.worker.deadlines(), most));
			finished.keys().claimed().forEach(this::hold);
			return noted(finished);
		}
		catch (RuntimeException | Error ex) {
			// The commit may have taken place all the same.
			this.held.requestComparison();
			throw ex;
		}
		finally {
			this.ahead.end();
		}
	}

	private Finished write(Collection<? extends Finish> finishes, LockWaits waits, ClaimNext next) {
		Observed observed = this.worker.observer().settle(finishes.size());
		try {
			return this.store.finish(finishes, waits, next);
		}
		catch (RuntimeException | Error ex) {
			observed.failed(ex);
			throw ex;
		}
		finally {
			observed.end();
		}
	}

	/**
	 * Which claims are current all the same: what somebody has locked is passed over, so
	 * that one such job, as in an operator's open transaction, does not hold up the
	 * results of all.
	 */
	Set<Claim> stillHeld(Set<Claim> notWritten) {
		Set<Claim> current = new HashSet<>(this.store.heldBy(this.session.id(), true));
		current.retainAll(notWritten);
		return current;
	}

	private Finished noted(Finished finished) {
		finished.keys().ready().forEach(this.worker.ready());
		return finished;
	}

	private void hold(ClaimedJob job) {
		Handler handler = this.worker.handlers().find(job.type());
		if (handler == null) {
			throw new IllegalStateException("A job of type '" + job.type() + "' was claimed, which has no handler");
		}
		Attempt attempt = new Attempt(job, handler, this.nanoTime.getAsLong());
		this.held.add(attempt);
		this.claimed.add(attempt);
	}

	/**
	 * How many attempts have come in the place of others such that nobody else has room
	 * now.
	 * @param ends how those others have ended
	 * @param claimed how many attempts were claimed with that
	 */
	int replaced(List<AttemptEnd> ends, int claimed) {
		boolean slotsOnly = ends.stream()
			.map((end) -> end.attempt().job())
			.allMatch((job) -> job.range().limitId() == 0 && this.worker.queues().test(job.queue()));
		return slotsOnly ? claimed : 0;
	}

	/**
	 * Lets what was claimed start. Whoever listens has been told of the ends of the jobs
	 * before.
	 */
	void start() {
		for (Attempt attempt : this.claimed) {
			if (attempt.claim().session() != this.session.id()) {
				// That session has ended during the commit. Others rescue the job.
				this.held.letGo(attempt, InterruptReason.SESSION_LOST);
			}
			else if (this.ahead.isStopped()) {
				this.held.giveBack(attempt);
			}
			else {
				this.worker.slots().accept(attempt);
			}
		}
		this.claimed.clear();
	}

	/**
	 * What a worker does with next jobs, and who watches the commits.
	 *
	 * @param handlers what runs them
	 * @param queues tells of which queues they are claimed
	 * @param deadlines how long they may stay claimed
	 * @param slots takes those that are claimed
	 * @param ready is told of those that are ready
	 * @param observer who watches
	 */
	public record Worker(Handlers handlers, Predicate<String> queues, Deadlines deadlines, Consumer<Attempt> slots,
			Consumer<NowReady> ready, QueueObserver observer) {

	}

}
