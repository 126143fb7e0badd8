package io.jobqueue.worker.attempt;

import java.time.Duration;

import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the claim of an attempt ends that failed because the database was lost.
 */
public final class OutageEnd {

	private static final Logger log = LoggerFactory.getLogger(OutageEnd.class);

	private static final String CONVICTED = "outage";

	/** The delay doubles so often at most. */
	private static final int MAX_DOUBLINGS = 6;

	private static final long MAX_SECONDS = 60;

	private OutageEnd() {
	}

	/**
	 * Of an attempt that may be to blame for the loss.
	 * @param job the job
	 * @param failure why it failed
	 */
	public static Finish after(ClaimedJob job, Failure failure) {
		Suspicion suspicion = job.suspicion();
		if (suspicion.convictsOfNextOutage()) {
			// Dead only once this is committed.
			log.warn(
					"{} job {} becomes dead: the database was lost {} times while it ran, the last two times while no "
							+ "other suspect ran in the cluster",
					job.type(), job.claim().id(), suspicion.outages() + 1);
			return new Finish.DeadLetter(job.claim(),
					Failure.of(job.attempt(), CONVICTED,
							"The database was lost " + (suspicion.outages() + 1)
									+ " times while this job ran, the last two times while no other suspect ran in "
									+ "the cluster: " + failure.message()));
		}
		return withoutBlame(job, failure);
	}

	/**
	 * Of an attempt that was there, when perhaps nothing was wrong with the database but
	 * with this node.
	 * @param job the job
	 * @param failure what is known
	 */
	public static Finish.Outage withoutBlame(ClaimedJob job, Failure failure) {
		long seconds = 1L << Math.min(MAX_DOUBLINGS, job.suspicion().outages());
		return new Finish.Outage(job.claim(), Duration.ofSeconds(Math.min(MAX_SECONDS, seconds)), failure);
	}

	/**
	 * Whether a job is dead for outages.
	 */
	static boolean isConviction(Finish.DeadLetter dead) {
		return dead.failure().type().equals(CONVICTED);
	}

}
