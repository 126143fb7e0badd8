package io.jobqueue.worker;

import java.time.Duration;
import java.util.Set;

/**
 * How a worker is.
 *
 * @param running whether it was started and not stopped
 * @param alive whether it does its work: false if the poll loop, the finisher or the
 * heartbeat does not, if polling fails, if results cannot be committed, or if every slot
 * is lost to handlers that do not end
 * @param problem what is wrong, or empty
 * @param session the id of its session
 * @param sinceHeartbeat how long ago the last good heartbeat was sent
 * @param sincePoll how long ago the last poll ended
 * @param slots how many attempts it may run at once
 * @param busy how many run
 * @param held how many jobs it holds, running, waiting and being finished
 * @param leftOut the queues in the mode row-lock whose jobs it leaves to other workers,
 * since its connection pool is too small for them
 */
public record WorkerHealth(boolean running, boolean alive, String problem, long session, Duration sinceHeartbeat,
		Duration sincePoll, int slots, int busy, int held, Set<String> leftOut) {

}
