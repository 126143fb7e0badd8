package io.jobqueue.store;

import java.time.Duration;

/**
 * A running job that rescue has to look at.
 *
 * @param claim the claim on it
 * @param type its type
 * @param attempt the attempt that it is claimed for
 * @param maxAttempts what the job itself allows; 0 for the handler's own
 * @param crashes how often a worker died while it held the job, this time not counted
 * @param heldLimit how many jobs its worker held at most beside it, itself included; 0
 * for any number
 * @param orphaned whether its session is gone; else its deadline has passed
 * @param heldFor how long it has been claimed, by the database's clock
 * @param allowed how long it may be claimed
 */
public record OverdueJob(Claim claim, String type, int attempt, int maxAttempts, int crashes, int heldLimit,
		boolean orphaned, Duration heldFor, Duration allowed) {

}
