package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import io.jobqueue.poison.Load;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.session.WorkerSession;

/**
 * Claims jobs, and hands them to the slots.
 */
public final class Claimer {

	/**
	 * A rescue must not come before the worker has had its chance to end a timed-out
	 * attempt itself. Before that, the job may have waited for a slot; it is given back
	 * after the session timeout at the latest. Afterwards its result may wait for a batch
	 * that somebody's locks keep from being committed for 50 s, and for the search for
	 * those that can be.
	 */
	private static final Duration DEADLINE_MARGIN = Duration.ofMinutes(2);

	/** So that one that cannot be put right does not keep the worker busy. */
	private static final Duration OTHERS_JOB_DELAY = Duration.ofSeconds(1);

	private final Tables tables;

	private final WorkerSession session;

	private final Handlers handlers;

	private final OwnTypes types;

	private final WorkerLoad load;

	private final LongSupplier nanoTime;

	private final Deadlines deadlines;

	private volatile boolean stopped;

	public Claimer(Tables tables, WorkerSession session, Handlers handlers, OwnTypes types, WorkerLoad load,
			LongSupplier nanoTime) {
		this.tables = tables;
		this.session = session;
		this.handlers = handlers;
		this.types = types;
		this.load = load;
		this.nanoTime = nanoTime;
		this.deadlines = deadlines(handlers, session);
	}

	/**
	 * How long jobs may stay claimed.
	 * @param handlers the worker's handlers
	 * @param session its session
	 */
	public static Deadlines deadlines(Handlers handlers, WorkerSession session) {
		return handlers.deadlines(session.timeout().plus(DEADLINE_MARGIN));
	}

	/**
	 * Whether others must regard this worker as alive. It claims nothing otherwise.
	 */
	boolean mayClaim() {
		return this.session.isCurrent();
	}

	/**
	 * Lets nothing start any more: what is claimed from now on is given back.
	 */
	public void stop() {
		this.stopped = true;
	}

	/**
	 * Claims jobs of the types that this worker has handlers for.
	 * @param choice from which ranges
	 * @param most how many at most
	 * @param held what the worker holds
	 * @return the jobs
	 */
	List<ClaimedJob> claim(ClaimPlan.Choice choice, int most, Load held) {
		if (this.types.names().isEmpty()) {
			return List.of();
		}
		long now = this.nanoTime.getAsLong();
		List<ClaimedJob> jobs = this.tables.claims()
			.claim(new ClaimRequest(this.session.id(), choice.ranges(), most, this.types.names(), this.deadlines, held,
					this.load.rowLocked(), this.load.shares(), this.tables.limits()));
		List<Finish> notRun = new ArrayList<>();
		for (ClaimedJob job : jobs) {
			Handler handler = this.handlers.find(job.type());
			if (this.load.holds(job.claim())) {
				// It runs already, whatever the database says.
				continue;
			}
			if (handler != null && !this.stopped) {
				this.load.add(new Attempt(job, handler, now));
			}
			else if (job.isRowLock() && !this.tables.rowLocks().claim(job, DEADLINE_MARGIN)) {
				// Somebody else has it, or has changed it.
				continue;
			}
			else if (handler != null) {
				notRun.add(new Finish.Release(job.claim(), Duration.ZERO));
			}
			else if (this.handlers.find(job.type().stripTrailing()) != null) {
				// The database takes two names for the same that differ in blanks at the
				// end.
				notRun.add(new Finish.DeadLetter(job.claim(),
						Failure.of(job.attempt(), "type", "The type ends with blanks, which no handler's type does")));
			}
			else {
				// The row has the type_id of another type: anybody may write one.
				notRun.add(new Finish.Release(job.claim(), OTHERS_JOB_DELAY));
			}
		}
		if (!notRun.isEmpty()) {
			this.tables.claims().finish(notRun);
		}
		return jobs;
	}

}
