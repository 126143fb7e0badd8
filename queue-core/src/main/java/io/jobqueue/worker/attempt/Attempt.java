package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.worker.Handler;

import org.jspecify.annotations.Nullable;

/**
 * One attempt at a job on this node, from its claim to its result. Its thread is never
 * interrupted once it has begun to finish: an interrupt inside JDBC would cost it its
 * connection.
 */
public final class Attempt {

	private static final Set<Phase> RUN = EnumSet.of(Phase.RUNNING, Phase.INTERRUPTED, Phase.FINISHING);

	private final ClaimedJob job;

	private final Handler handler;

	private final long claimedNanos;

	private final CurrentPhase phase = new CurrentPhase();

	/** Written before RUNNING, and read by those who interrupt once they see RUNNING. */
	private volatile @Nullable Thread thread;

	private volatile long startedNanos;

	private volatile long interruptedNanos;

	private volatile @Nullable InterruptReason reason;

	private final AttemptMarks marks = new AttemptMarks();

	private volatile Chunk chunk = new Chunk(List.of(this), true);

	private volatile Chunk all = this.chunk;

	/** Why it is not to run any more, whatever it does at that moment. */
	private volatile @Nullable InterruptReason halted;

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
		return this.phase.change(Phase.WAITING, Phase.RUNNING);
	}

	/** The same in a chunk, whose calls follow. */
	public boolean startInChunk(Chunk all, long nanos) {
		this.thread = Thread.currentThread();
		this.startedNanos = nanos;
		this.all = all;
		return this.phase.change(Phase.WAITING, Phase.PARKED);
	}

	/** Runs in a call, in a time of its own, unless it is not to run any more. */
	public boolean resume(Chunk with, long nanos) {
		enter(with);
		this.startedNanos = nanos;
		boolean running = this.phase.change(Phase.PARKED, Phase.RUNNING);
		if (running && this.halted != null) {
			this.phase.change(RUN, Phase.PARKED);
			return false;
		}
		return running;
	}

	/** Waits for another call, unless its result was taken from it. */
	public boolean park() {
		boolean parked = this.phase.change(RUN, Phase.PARKED) == Phase.PARKED;
		this.reason = null;
		return parked;
	}

	public void enter(Chunk with) {
		this.chunk = with;
	}

	/** The attempts that run in the same call. */
	public Chunk chunk() {
		return this.chunk;
	}

	/** The attempts that one slot has taken together. */
	public Chunk all() {
		return this.all;
	}

	/**
	 * Gives the job back before it has started.
	 * @return false if it has started
	 */
	boolean drop() {
		return this.phase.change(Phase.WAITING, Phase.DROPPED);
	}

	boolean dropParked() {
		return this.phase.change(Phase.PARKED, Phase.HANDED_OVER);
	}

	/**
	 * Interrupts the attempt if it still runs, and has it not run again.
	 * @return whether this call interrupted it
	 */
	public boolean interrupt(InterruptReason why, long nanos) {
		Chunk with = this.chunk;
		this.halted = (why != InterruptReason.TIMEOUT) ? why : this.halted;
		if (with.isShared() && why == InterruptReason.CANCELLED) {
			// The others go on. What it comes to is discarded, since its claim is stale.
			return this.phase.is(Phase.RUNNING);
		}
		if (!this.phase.change(Phase.RUNNING, Phase.INTERRUPTING)) {
			return false;
		}
		this.reason = why;
		this.interruptedNanos = nanos;
		Thread running = this.thread;
		if (running != null && with.interruptOnce()) {
			running.interrupt();
		}
		this.phase.interrupted();
		return true;
	}

	/**
	 * Begins to finish on its own thread, which is not interrupted any more afterwards.
	 * @return why the attempt was interrupted, or null if it was not
	 * @throws AbandonedException if its result is no longer wanted
	 */
	public @Nullable InterruptReason finish() {
		Phase now = this.phase.change(RUN, Phase.FINISHING);
		if (now != Phase.FINISHING) {
			throw (now == Phase.ABANDONED) ? new AbandonedException() : new IllegalStateException("Is " + now);
		}
		Thread.interrupted();
		return reason();
	}

	/** Its thread is done with it: what is left is to commit its result. */
	void handOver() {
		this.phase.change(Phase.FINISHING, Phase.HANDED_OVER);
	}

	/**
	 * Notes, from time to time, that its thread finishes it, which nobody can end.
	 * @return whether that takes too long by this call
	 */
	public boolean noteFinishing(long nanos, Duration most) {
		return this.marks.noteFinishing(this.phase.is(Phase.FINISHING), nanos, most);
	}

	boolean isOverdue() {
		return this.marks.isOverdue() && this.phase.is(Phase.FINISHING);
	}

	/**
	 * Takes the result from a thread that does not react to its interrupt.
	 * @return false if it has begun to finish
	 */
	boolean abandon() {
		return this.phase.change(Phase.INTERRUPTED, Phase.ABANDONED);
	}

	public boolean isWaiting() {
		return this.phase.is(Phase.WAITING);
	}

	public boolean isInterrupted() {
		return this.phase.is(Phase.INTERRUPTED);
	}

	/**
	 * Whether its thread may be at work: be it that the handler does not react.
	 */
	public boolean isActive() {
		return this.phase.isOneOf(Phase.AT_WORK);
	}

	public @Nullable InterruptReason reason() {
		boolean alone = this.reason == null && this.chunk.isShared() && this.halted == InterruptReason.CANCELLED;
		return alone ? this.halted : this.reason;
	}

	public long startedNanos() {
		return this.startedNanos;
	}

	public Duration waited(long nanos) {
		return Duration.ofNanos(nanos - this.claimedNanos);
	}

	public boolean hasStarted() {
		return !this.phase.is(Phase.WAITING) && !this.phase.is(Phase.DROPPED);
	}

	public Duration ran(long nanos) {
		return hasStarted() ? Duration.ofNanos(nanos - this.startedNanos) : Duration.ZERO;
	}

	public Duration sinceInterrupt(long nanos) {
		return Duration.ofNanos(nanos - this.interruptedNanos);
	}

	public boolean isTimedOut(long nanos) {
		Duration timeout = this.handler.timeoutOf(this.job.timeout());
		return this.phase.is(Phase.RUNNING) && !timeout.isZero() && ran(nanos).compareTo(timeout) > 0;
	}

}
