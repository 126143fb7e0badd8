package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitPauses;
import io.jobqueue.store.LimitStore;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.text.Durations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets jobs that wait for their limit keys follow those that have ended, and leaves
 * limits alone of which nothing is left.
 */
public final class JobsOfLimits {

	private static final Logger log = LoggerFactory.getLogger(JobsOfLimits.class);

	/** In one transaction. */
	private static final int MOST_KEYS = 500;

	/** Whoever has locked an allowance or a job has it for a moment, in general. */
	private static final Duration LOCKED = Duration.ofMillis(10);

	private static final Duration LOCKED_LONG = Duration.ofSeconds(1);

	private static final Duration FAILED = Duration.ofSeconds(1);

	private final LimitStore store;

	private final LimitPauses pauses;

	/** Used by the key loop's thread only, as the rest. */
	private boolean failing;

	private Duration next = RangeChore.WHENEVER;

	private Duration locked = LOCKED;

	public JobsOfLimits(LimitStore store, LimitPauses pauses) {
		this.store = store;
		this.pauses = pauses;
	}

	/**
	 * Sees to the keys of which a job has ended here, and to those whose time has come.
	 * @param due whether there are any of these
	 * @return whether any job is ready that was not
	 */
	boolean settle(boolean due) {
		this.next = RangeChore.WHENEVER;
		boolean isDue = this.pauses.takeDue() || due;
		List<LimitKey> keys = new ArrayList<>(this.pauses.takeFreed());
		boolean ready = isDue && attempt(List.of(), () -> settled(this.store.settle(this.store.due(MOST_KEYS))));
		for (int from = 0; from < keys.size(); from += MOST_KEYS) {
			List<LimitKey> some = keys.subList(from, Math.min(keys.size(), from + MOST_KEYS));
			ready |= attempt(some, () -> settled(this.store.settle(some)));
		}
		Duration untilDue = this.pauses.untilDue();
		if (untilDue != null) {
			sooner(untilDue);
		}
		return ready;
	}

	private boolean settled(LimitStore.Settled settled) {
		settled.left().forEach(this.pauses::again);
		boolean any = settled.ready() + settled.tidied() > 0;
		if (any || settled.left().isEmpty()) {
			this.locked = LOCKED;
		}
		if (!settled.left().isEmpty()) {
			sooner(this.locked);
			Duration longer = this.locked.multipliedBy(2);
			this.locked = (longer.compareTo(LOCKED_LONG) < 0) ? longer : LOCKED_LONG;
		}
		if (settled.next() != null) {
			this.pauses.due(settled.next());
		}
		return settled.ready() > 0;
	}

	private boolean attempt(Collection<LimitKey> keys, Work work) {
		try {
			boolean any = work.run();
			if (this.failing) {
				this.failing = false;
				log.info("Jobs that wait for their limits follow each other again");
			}
			return any;
		}
		catch (RuntimeException ex) {
			keys.forEach(this.pauses::again);
			sooner(FAILED);
			if (!this.failing) {
				this.failing = true;
				log.warn("Jobs that wait for places of their limit keys cannot be made ready. Other jobs go on; tried "
						+ "again every {}: {}", Durations.text(FAILED), ex.toString());
			}
			log.debug("Limit keys cannot be seen to", ex);
			return false;
		}
	}

	private void sooner(Duration other) {
		this.next = (other.compareTo(this.next) < 0) ? other : this.next;
	}

	/**
	 * Ranges as they are due if limits are regarded.
	 */
	List<ReadyRange> regarded(List<ReadyRange> ranges) {
		return this.pauses.regarded(ranges);
	}

	/**
	 * Whether a claim has moved jobs since this was asked last.
	 */
	boolean takeMoved() {
		return this.pauses.takeMoved();
	}

	/**
	 * How long until the next round, at most.
	 */
	Duration next() {
		return this.next;
	}

	@FunctionalInterface
	private interface Work {

		boolean run();

	}

}
