package io.jobqueue.worker.thread;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread of the worker: does one step after another until a step says that it was the
 * last. Whatever a step throws, an {@code OutOfMemoryError} too, the next one follows: a
 * worker of which one thread has ended would go on heartbeating and keep its jobs.
 */
public final class ResilientThread {

	private static final Logger log = LoggerFactory.getLogger(ResilientThread.class);

	private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

	private ResilientThread() {
	}

	/**
	 * Starts a thread.
	 * @param name its name
	 * @param step what to do again and again
	 * @return the thread
	 */
	public static Thread start(String name, Step step) {
		Thread thread = new Thread(() -> run(name, step), name);
		thread.start();
		return thread;
	}

	private static void run(String name, Step step) {
		boolean more = true;
		while (more) {
			try {
				more = step.run();
			}
			catch (InterruptedException ex) {
				// Nobody of the queue's own interrupts it, and others must not end it.
				log.debug("{} was interrupted and goes on", name);
			}
			catch (Throwable ex) {
				note(name, ex);
				LockSupport.parkNanos(PAUSE_NANOS);
			}
		}
	}

	/**
	 * Does something that must not end the thread that it runs on.
	 * @param what what it is called in the log
	 * @param work what to do
	 * @return whether it ended without throwing anything
	 */
	public static boolean guarded(String what, Runnable work) {
		try {
			work.run();
			return true;
		}
		catch (Throwable ex) {
			note(what, ex);
			return false;
		}
	}

	/**
	 * Notes what must not end the thread that has met it.
	 * @param what what has failed, as it is called in the log
	 * @param failure what it threw
	 */
	public static void note(String what, Throwable failure) {
		try {
			log.error("Unexpected failure in {}; the thread goes on", what, failure);
		}
		catch (Throwable ex) {
			// Without memory there is no log either; to go on is what matters.
		}
	}

	/**
	 * What a thread does.
	 */
	@FunctionalInterface
	public interface Step {

		/**
		 * Does one step.
		 * @return whether another follows
		 */
		boolean run() throws InterruptedException;

	}

}
