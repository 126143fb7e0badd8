package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.jobqueue.store.OrderKeys;
import io.jobqueue.text.Durations;
import io.jobqueue.worker.attempt.OrderSignal;
import org.jspecify.annotations.Nullable;
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

	private static final Duration FAILED = Duration.ofSeconds(1);

	private final OrderKeys keys;

	private final OrderSignal signal;

	private final NewRanges ready;

	private final LongSupplier nanoTime;

	/** Used by the key loop's thread only, as the rest. */
	private boolean failing;

	/** When to see to what was left; null if nothing was. */
	private @Nullable Long leftUntil;

	private Duration locked = LOCKED;

	public KeysInOrder(OrderKeys keys, OrderSignal signal, NewRanges ready, LongSupplier nanoTime) {
		this.keys = keys;
		this.signal = signal;
		this.ready = ready;
		this.nanoTime = nanoTime;
	}

	/**
	 * Sees to keys that have changed.
	 * @param elsewhere whether changes are there to be read, which may be those that were
	 * left because somebody has locked their keys
	 * @return whether any job is ready that was not
	 */
	boolean settle(boolean elsewhere) {
		boolean here = this.signal.takeChanged();
		boolean isDue = (this.leftUntil != null) ? next().isZero() : elsewhere;
		if (!here && !isDue) {
			return false;
		}
		this.leftUntil = null;
		return settle();
	}

	private boolean settle() {
		try {
			OrderKeys.Settled done = this.keys.settle();
			done.ready().forEach(this.ready::ready);
			boolean any = done.changes() > 0 || !done.ready().isEmpty();
			boolean isLeft = done.more() || done.left() > 0;
			if (isLeft) {
				again(any ? Duration.ZERO : this.locked);
			}
			Duration longer = this.locked.multipliedBy(2);
			this.locked = (any || !isLeft) ? LOCKED : (longer.compareTo(LOCKED_LONG) < 0) ? longer : LOCKED_LONG;
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
						+ "again every {}: {}", Durations.text(FAILED), ex.toString());
			}
			log.debug("Order keys cannot be seen to", ex);
			return false;
		}
	}

	private void again(Duration after) {
		this.leftUntil = this.nanoTime.getAsLong() + after.toNanos();
	}

	/**
	 * How long until the next round, at most.
	 */
	Duration next() {
		return (this.leftUntil == null) ? RangeChore.WHENEVER
				: Duration.ofNanos(Math.max(0, this.leftUntil - this.nanoTime.getAsLong()));
	}

}
