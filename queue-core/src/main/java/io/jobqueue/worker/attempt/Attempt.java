package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.worker.Handler;

import org.jspecify.annotations.Nullable;

/**
 * One attempt at a job on this node, from its claim to its result. Who may end it is
 * decided by one atomic step, so that a thread is never interrupted once it has begun to
 * finish: an interrupt inside JDBC would cost it its connection.
 */
public final class Attempt {

	private final ClaimedJob job;

	private final Handler handler;

	private final long claimedNanos;

	private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);

	/** Written before RUNNING, and read by those who interrupt once they see RUNNING. */
	private volatile @Nullable Thread thread;

	private volatile long startedNanos;

	private volatile long interruptedNanos;

	private volatile @Nullable InterruptReason reason;

	private final AttemptMarks marks = new AttemptMarks();

	/** Those that run in the same call. */
	private volatile Chunk chunk = new Chunk(List.of(this), true);

	public Attempt(ClaimedJob job, Handler handler, long claimedNanos) {
		this.job = job;
		this.handler = handler;
		this.claimedNanos = claimedNanos;
	}

	public ClaimedJob job() {
		return this.job;
	}

	public Claim claim() {
		return this.job.claim();
	}

	public Handler handler() {
		return this.handler;
	}

	/**
	 * What was noted of it on the way.
	 */
	public AttemptMarks marks() {
		return this.marks;
	}

	public int maxAttempts() {
		return this.handler.retry().attemptsOf(this.job.maxAttempts());
	}

	/**
	 * Starts on this thread.
	 * @return false if the job was given back while it waited
	 */
	public boolean start(long nanos) {
		this.thread = Thread.currentThread();
		this.startedNanos = nanos;
		return this.phase.compareAndSet(Phase.WAITING, Phase.RUNNING);
	}

	/**
	 * Takes part in a call for several attempts, on this thread.
	 */
	public void enter(Chunk with) {
		this.chunk = with;
	}

	/**
	 * The attempts that run in the same call.
	 */
	public Chunk chunk() {
		return this.chunk;
	}

	/**
	 * Runs again on this thread, in another call. Its time begins anew.
	 * @return false if it was cancelled, given up, or interrupted for another reason than
	 * its time
	 */
	public boolean startAgain(long nanos) {
		Phase now = this.phase.get();
		while (now == Phase.INTERRUPTING) {
			Thread.onSpinWait();
			now = this.phase.get();
		}
		if (this.reason != null && this.reason != InterruptReason.TIMEOUT) {
			return false;
		}
		if (!Phase.AT_WORK.contains(now)) {
			return false;
		}
		this.startedNanos = nanos;
		this.reason = null;
		return now == Phase.RUNNING || this.phase.compareAndSet(now, Phase.RUNNING);
	}

	/**
	 * Gives the job back before it has started.
	 * @return false if it has started
	 */
	boolean drop() {
		return this.phase.compareAndSet(Phase.WAITING, Phase.DROPPED);
	}

	/**
	 * Interrupts the attempt if it still runs.
	 * @return whether this call did so
	 */
	public boolean interrupt(InterruptReason why, long nanos) {
		Chunk with = this.chunk;
		if (with.isShared() && why == InterruptReason.CANCELLED) {
			// The others go on. What it comes to is discarded, since its claim is stale.
			this.reason = why;
			return this.phase.get() == Phase.RUNNING;
		}
		if (!this.phase.compareAndSet(Phase.RUNNING, Phase.INTERRUPTING)) {
			return false;
		}
		this.reason = why;
		this.interruptedNanos = nanos;
		Thread running = this.thread;
		if (running != null && with.interruptOnce()) {
			running.interrupt();
		}
		this.phase.set(Phase.INTERRUPTED);
		return true;
	}

	/**
	 * Begins to finish on the attempt's own thread, which cannot be interrupted any more
	 * afterwards.
	 * @return why the attempt was interrupted, or null if it was not
	 * @throws AbandonedException if its result is no longer wanted
	 */
	public @Nullable InterruptReason finish() {
		while (!this.phase.compareAndSet(Phase.RUNNING, Phase.FINISHING)
				&& !this.phase.compareAndSet(Phase.INTERRUPTED, Phase.FINISHING)) {
			Phase now = this.phase.get();
			if (now == Phase.FINISHING) {
				break;
			}
			if (!Phase.AT_WORK.contains(now)) {
				throw (now == Phase.ABANDONED) ? new AbandonedException() : new IllegalStateException("Is " + now);
			}
			Thread.onSpinWait();
		}
		Thread.interrupted();
		return this.reason;
	}

	/**
	 * Notes that its thread is done with it: what is left is to commit its result.
	 */
	void handOver() {
		this.phase.compareAndSet(Phase.FINISHING, Phase.HANDED_OVER);
	}

	/**
	 * Notes, from time to time, how long its thread has been finishing it. Nobody can end
	 * that: it may be within a commit.
	 * @param nanos the time
	 * @param most how long it should take at most
	 * @return whether it is overdue by this call
	 */
	public boolean noteFinishing(long nanos, Duration most) {
		return this.marks.noteFinishing(this.phase.get() == Phase.FINISHING, nanos, most);
	}

	/**
	 * Whether its thread has been finishing it for too long.
	 */
	boolean isOverdue() {
		return this.marks.isOverdue() && this.phase.get() == Phase.FINISHING;
	}

	/**
	 * Takes the result from a thread that does not react to its interrupt.
	 * @return false if it has begun to finish
	 */
	boolean abandon() {
		return this.phase.compareAndSet(Phase.INTERRUPTED, Phase.ABANDONED);
	}

	public boolean isWaiting() {
		return this.phase.get() == Phase.WAITING;
	}

	public boolean isInterrupted() {
		return this.phase.get() == Phase.INTERRUPTED;
	}

	public boolean hasStarted() {
		Phase current = this.phase.get();
		return current != Phase.WAITING && current != Phase.DROPPED;
	}

	/**
	 * Whether its thread may still be at work: the handler runs, or was interrupted and
	 * has not returned, or its transaction has not ended.
	 */
	public boolean isActive() {
		return Phase.AT_WORK.contains(this.phase.get());
	}

	public @Nullable InterruptReason reason() {
		return this.reason;
	}

	public long startedNanos() {
		return this.startedNanos;
	}

	public Duration waited(long nanos) {
		return Duration.ofNanos(nanos - this.claimedNanos);
	}

	public Duration ran(long nanos) {
		return hasStarted() ? Duration.ofNanos(nanos - this.startedNanos) : Duration.ZERO;
	}

	public Duration sinceInterrupt(long nanos) {
		return Duration.ofNanos(nanos - this.interruptedNanos);
	}

	public boolean isTimedOut(long nanos) {
		Duration timeout = this.handler.timeoutOf(this.job.timeout());
		return this.phase.get() == Phase.RUNNING && !timeout.isZero() && ran(nanos).compareTo(timeout) > 0;
	}

}
