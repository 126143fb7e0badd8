package io.jobqueue.worker.thread;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * Lets the poll loop sleep until there is something to do. A signal that comes while it
 * is awake is kept.
 */
public final class WakeUp {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition signalled = this.lock.newCondition();

	@GuardedBy("lock")
	private boolean pending;

	public void signal() {
		this.lock.lock();
		try {
			this.pending = true;
			this.signalled.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Sleeps until a signal or until the time is over.
	 * @param most how long at most
	 * @return whether there was a signal
	 */
	public boolean await(Duration most) throws InterruptedException {
		long nanos = most.toNanos();
		this.lock.lockInterruptibly();
		try {
			while (!this.pending && nanos > 0) {
				nanos = this.signalled.awaitNanos(nanos);
			}
			boolean signal = this.pending;
			this.pending = false;
			return signal;
		}
		finally {
			this.lock.unlock();
		}
	}

}
