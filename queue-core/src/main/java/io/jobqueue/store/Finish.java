package io.jobqueue.store;

import java.time.Duration;

/**
 * How a claim ends. Each is written only if the claim is still current.
 */
public sealed interface Finish {

	/**
	 * The claim that ends.
	 * @return the claim
	 */
	Claim claim();

	/**
	 * The attempt succeeded: the job is archived as succeeded.
	 *
	 * @param claim the claim that ends
	 */
	record Ack(Claim claim) implements Finish {
	}

	/**
	 * The attempt failed and another follows.
	 *
	 * @param claim the claim that ends
	 * @param delay how long the job waits
	 * @param failure why it failed
	 */
	record Retry(Claim claim, Duration delay, Failure failure) implements Finish {
	}

	/**
	 * The attempt failed and none follows: the job is archived as dead.
	 *
	 * @param claim the claim that ends
	 * @param failure why it failed
	 */
	record DeadLetter(Claim claim, Failure failure) implements Finish {
	}

	/**
	 * The job is given back unrun, or as if it had not run: the attempt is not counted.
	 *
	 * @param claim the claim that ends
	 * @param delay how long it waits; zero leaves its place in the order as it was
	 */
	record Release(Claim claim, Duration delay) implements Finish {
	}

	/**
	 * The attempt failed because the database was lost: the job comes back under
	 * suspicion, the attempt not counted, the outage counted.
	 *
	 * @param claim the claim that ends
	 * @param delay how long the job waits
	 * @param failure why it failed
	 */
	record Outage(Claim claim, Duration delay, Failure failure) implements Finish {

	}

	/**
	 * The worker that held the job died: the job comes back under suspicion, the attempt
	 * not counted, the crash counted.
	 *
	 * @param claim the claim that ends
	 * @param failure what is known
	 */
	record Rescue(Claim claim, Failure failure) implements Finish {
	}

}
