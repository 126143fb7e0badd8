package io.jobqueue.worker;

import java.time.Duration;

/**
 * How a worker is.
 *
 * @param running whether it was started and not stopped
 * @param alive whether its poll loop and heartbeat do their work
 * @param problem what is wrong, or empty
 * @param session the id of its session
 * @param sinceHeartbeat how long ago the last good heartbeat was sent
 * @param sincePoll how long ago the last poll ended
 * @param slots how many attempts it may run at once
 * @param busy how many run
 * @param held how many jobs it holds, running, waiting and being finished
 */
public record WorkerHealth(boolean running, boolean alive, String problem, long session, Duration sinceHeartbeat,
		Duration sincePoll, int slots, int busy, int held) {

}
