package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.List;

import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.thread.WakeUp;

/**
 * Lets jobs that wait for keys be ready when their time has come. It has a thread of its
 * own, beside that of claims: where each job has a key, either has as much to do.
 */
public final class KeyLoop {

	private final KeysInOrder orders;

	private final JobsOfLimits limits;

	private final WakeUp wakeUp;

	private final Runnable onReady;

	private volatile boolean ordersChanged;

	private volatile boolean limitsDue;

	private volatile boolean stopped;

	/** Used by the loop's thread only. */
	private Duration next = RangeChore.WHENEVER;

	/**
	 * Creates the loop.
	 * @param orders sees to order keys
	 * @param limits sees to limit keys
	 * @param wakeUp is signalled when a job with a key has come or ended here
	 * @param onReady is run when jobs are ready that were not
	 */
	public KeyLoop(KeysInOrder orders, JobsOfLimits limits, WakeUp wakeUp, Runnable onReady) {
		this.orders = orders;
		this.limits = limits;
		this.wakeUp = wakeUp;
		this.onReady = onReady;
	}

	/**
	 * Notes what the read of the ready ranges has shown.
	 * @param ordersChanged whether order keys have changed
	 * @param limitsDue whether jobs that wait for limit keys may start
	 */
	void noted(boolean ordersChanged, boolean limitsDue) {
		if (ordersChanged || limitsDue) {
			this.ordersChanged |= ordersChanged;
			this.limitsDue |= limitsDue;
			this.wakeUp.signal();
		}
	}

	/**
	 * Ranges as they are due if limits are regarded.
	 */
	List<ReadyRange> regarded(List<ReadyRange> ranges) {
		return this.limits.regarded(ranges);
	}

	/**
	 * Whether a claim has moved jobs since this was asked last.
	 */
	boolean takeMoved() {
		return this.limits.takeMoved();
	}

	/**
	 * Waits until there is something to do, and does it.
	 * @return false if there will be no more
	 */
	public boolean step() throws InterruptedException {
		if (!this.stopped) {
			this.wakeUp.await(this.next);
		}
		// What comes from now on is seen by the next step.
		boolean last = this.stopped;
		settle();
		return !last;
	}

	/**
	 * Does what there is to do now.
	 */
	public void settle() {
		boolean orders = this.ordersChanged;
		this.ordersChanged = false;
		boolean limits = this.limitsDue;
		this.limitsDue = false;
		boolean ready = this.orders.settle(orders);
		ready |= this.limits.settle(limits);
		this.next = (this.orders.next().compareTo(this.limits.next()) < 0) ? this.orders.next() : this.limits.next();
		if (ready) {
			this.onReady.run();
		}
	}

	/**
	 * Ends the loop, once it has seen to what has ended until now.
	 */
	public void stop() {
		this.stopped = true;
		this.wakeUp.signal();
	}

}
