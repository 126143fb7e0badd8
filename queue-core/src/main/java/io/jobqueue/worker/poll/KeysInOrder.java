package io.jobqueue.worker.poll;

import java.time.Duration;

import io.jobqueue.store.OrderKeys;
import io.jobqueue.worker.attempt.OrderSignal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to order keys, if any has changed: on this node, or on another one, as the read of
 * the ready ranges tells.
 */
public final class KeysInOrder {

	private static final Logger log = LoggerFactory.getLogger(KeysInOrder.class);

	/** Whoever has locked a key or a job has it for a moment. */
	private static final Duration LOCKED = Duration.ofMillis(10);

	private static final Duration LOCKED_LONG = Duration.ofSeconds(1);

	private final OrderKeys keys;

	private final OrderSignal signal;

	private final NewRanges ready;

	private static final Duration FAILED = Duration.ofSeconds(1);

	/** Used by the key loop's thread only, as the rest. */
	private boolean failing;

	private Duration next = RangeChore.WHENEVER;

	private Duration locked = LOCKED;

	public KeysInOrder(OrderKeys keys, OrderSignal signal, NewRanges ready) {
		this.keys = keys;
		this.signal = signal;
		this.ready = ready;
	}

	/**
	 * Sees to keys that have changed.
	 * @param elsewhere whether any has on another node
	 * @return whether any job is ready that was not
	 */
	boolean settle(boolean elsewhere) {
		this.next = RangeChore.WHENEVER;
		return (this.signal.takeChanged() || elsewhere) && settle();
	}

	private boolean settle() {
		try {
			OrderKeys.Settled done = this.keys.settle();
			done.ready().forEach(this.ready::ready);
			boolean any = done.changes() > 0 || !done.ready().isEmpty();
			if (done.more() || done.left() > 0) {
				again(any ? Duration.ZERO : this.locked);
			}
			Duration longer = this.locked.multipliedBy(2);
			this.locked = any ? LOCKED : (longer.compareTo(LOCKED_LONG) < 0) ? longer : LOCKED_LONG;
			if (this.failing) {
				this.failing = false;
				log.info("Jobs with order keys follow each other again");
			}
			return !done.ready().isEmpty();
		}
		catch (RuntimeException ex) {
			again(FAILED);
			if (!this.failing) {
				this.failing = true;
				log.warn("The next jobs of order keys cannot be made ready, so that they wait. Other jobs go on; tried "
						+ "again every {}: {}", FAILED, ex.toString());
			}
			log.debug("Order keys cannot be seen to", ex);
			return false;
		}
	}

	private void again(Duration after) {
		this.signal.again();
		this.next = after;
	}

	/**
	 * How long until the next round, at most.
	 */
	Duration next() {
		return this.next;
	}

}
