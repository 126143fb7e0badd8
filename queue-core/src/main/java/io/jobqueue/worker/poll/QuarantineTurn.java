package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.jobqueue.store.QuarantineStore;

import org.jspecify.annotations.Nullable;

/**
 * This node's turn with the quarantine, as far as the node knows. A call to the database
 * that fails, or whose answer is lost, leaves it unknown whether the node has the
 * quarantine; then it is given back, or asked for again. The turn ends with the session.
 */
public final class QuarantineTurn {

	/** How long one node may go on with suspects while others may want to. */
	private static final long TURN_NANOS = Duration.ofSeconds(10).toNanos();

	private static final long LEAVE_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private final QuarantineStore store;

	private final LongSupplier session;

	private final LongSupplier nanoTime;

	/** The session that has it, or may have it; 0 for none. */
	private long owner;

	private boolean certain;

	private @Nullable Long leaveAgainAt;

	private long enteredAt;

	private boolean used;

	private long usedSince;

	public QuarantineTurn(QuarantineStore store, LongSupplier session, LongSupplier nanoTime) {
		this.store = store;
		this.session = session;
		this.nanoTime = nanoTime;
	}

	/**
	 * Whether this node has it.
	 */
	boolean isOwn() {
		return this.certain && this.owner != 0 && this.owner == this.session.getAsLong();
	}

	/**
	 * Takes it, if it is free.
	 * @return whether this node has it now
	 */
	boolean enter() {
		if (isOwn()) {
			return true;
		}
		long asking = this.session.getAsLong();
		boolean unknown = this.owner == asking;
		this.owner = asking;
		this.certain = false;
		this.used = false;
		if (this.store.enterQuarantine(asking)) {
			this.certain = true;
			this.enteredAt = this.nanoTime.getAsLong();
		}
		else if (!unknown) {
			this.owner = 0;
		}
		return this.certain;
	}

	/**
	 * Gives it back, if this node has it or may have it. If that is not possible now, the
	 * next call after a second tries again.
	 */
	void leave() {
		this.certain = false;
		this.used = false;
		long now = this.nanoTime.getAsLong();
		if (this.owner == 0 || (this.leaveAgainAt != null && now - this.leaveAgainAt < 0)) {
			return;
		}
		this.leaveAgainAt = now + LEAVE_PAUSE_NANOS;
		if (this.store.leaveQuarantine(this.owner)) {
			this.owner = 0;
			this.leaveAgainAt = null;
		}
	}

	/**
	 * Notes that suspects were claimed in it. From the first time on the turn counts: it
	 * may take any time until the node is empty.
	 */
	void used() {
		if (isOwn() && !this.used) {
			this.used = true;
			this.usedSince = this.nanoTime.getAsLong();
		}
	}

	/**
	 * How long this node has had it without a use.
	 * @return nanoseconds; 0 if it does not have it, or has used it
	 */
	long unusedNanos() {
		return (isOwn() && !this.used) ? this.nanoTime.getAsLong() - this.enteredAt : 0;
	}

	/**
	 * Whether the turn is over.
	 */
	boolean isOver() {
		return this.used && this.nanoTime.getAsLong() - this.usedSince >= TURN_NANOS;
	}

}
