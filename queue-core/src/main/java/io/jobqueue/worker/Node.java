package io.jobqueue.worker;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What the parts of one worker share.
 *
 * @param session its session
 * @param held the jobs that it holds
 * @param slots the threads that run them
 * @param room how many more it may claim
 * @param stuck how many slots are lost to handlers that were given up and have not
 * returned
 * @param wakeUp what wakes the poll loop
 * @param random the source of jitter
 * @param nanoTime the monotonic clock
 */
record Node(WorkerSession session, HeldJobs held, Slots slots, Room room, AtomicInteger stuck, WakeUp wakeUp,
		RandomGenerator random, LongSupplier nanoTime) {

}
