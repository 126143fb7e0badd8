package io.jobqueue.maintenance;

import java.util.random.RandomGenerator;

import io.jobqueue.poison.Suspicion;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.MaintenanceStore;
import io.jobqueue.store.OverdueJob;

/**
 * What becomes of jobs that are taken from their workers.
 */
final class Verdicts {

	private final MaintenanceStore store;

	private final RandomGenerator random;

	Verdicts(MaintenanceStore store, RandomGenerator random) {
		this.store = store;
		this.random = random;
	}

	Finish on(OverdueJob job) {
		return job.orphaned() ? afterCrash(job) : afterTimeout(job);
	}

	/**
	 * Whether a job is dead for crashing its workers.
	 */
	static boolean isConvicted(OverdueJob job) {
		return job.orphaned() && Suspicion.convictsOfCrash(job.heldLimit(), job.crashes() + 1);
	}

	private static Finish afterCrash(OverdueJob job) {
		if (isConvicted(job)) {
			return new Finish.DeadLetter(job.claim(), Failure.of(job.attempt(), "crash", "The worker died "
					+ (job.crashes() + 1) + " times while it held this job; the last time it held no other"));
		}
		return new Finish.Rescue(job.claim(), Failure.of(job.attempt(), "crash",
				"The worker died, or was cut off from the database, while it held this job"));
	}

	private Finish afterTimeout(OverdueJob job) {
		RetryPolicy policy = this.store.retryOf(job.type()).orElse(RetryPolicy.DEFAULT);
		Failure failure = Failure.of(job.attempt(), "timeout",
				"The worker neither finished nor ended the attempt in time; the job was claimed for " + job.heldFor());
		if (job.attempt() >= policy.attemptsOf(job.maxAttempts())) {
			return new Finish.DeadLetter(job.claim(), failure);
		}
		return new Finish.Retry(job.claim(), policy.backoff().delayAfter(job.attempt(), this.random), failure);
	}

}
