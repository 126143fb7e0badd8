package io.jobqueue.worker;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.jobqueue.store.QuarantineStore;

/**
 * What this node knows of its right to run empty for suspects. A call to the database
 * whose answer is lost, or that fails, leaves that unknown; then it is given back, or
 * asked for again. The right ends with the session.
 */
final class Quarantine {

	/** How long one node may go on with suspects while others may want to. */
	private static final long TURN_NANOS = Duration.ofSeconds(30).toNanos();

	private final QuarantineStore store;

	private final LongSupplier session;

	private final LongSupplier nanoTime;

	/** The session that has it, or may have it; 0 for none. */
	private long owner;

	private boolean certain;

	private boolean used;

	private long usedSince;

	Quarantine(QuarantineStore store, LongSupplier session, LongSupplier nanoTime) {
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
		}
		else if (!unknown) {
			this.owner = 0;
		}
		return this.certain;
	}

	/**
	 * Gives it back, if this node has it or may have it. If that is not possible now, the
	 * next call tries again.
	 */
	void leave() {
		if (this.owner != this.session.getAsLong()) {
			this.owner = 0;
		}
		this.certain = false;
		this.used = false;
		if (this.owner != 0 && this.store.leaveQuarantine(this.owner)) {
			this.owner = 0;
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
	 * Whether the turn is over.
	 */
	boolean isOver() {
		return this.used && this.nanoTime.getAsLong() - this.usedSince >= TURN_NANOS;
	}

}
