package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.jobqueue.store.LimitKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of allowances that stay locked: whoever has one needs it for a moment, unless its
 * host has vanished in the middle of a claim, or somebody works in the table.
 */
final class LockedForLong {

	private static final Logger log = LoggerFactory.getLogger(LockedForLong.class);

	private static final Duration LONG = Duration.ofSeconds(10);

	/** As long as a claim takes. */
	private static final Duration CLAIM = Duration.ofMillis(5);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	/** Between two looks for which it may have been free. */
	private static final Duration UNSEEN = Duration.ofSeconds(5);

	private static final int MOST = 10_000;

	private final LongSupplier nanoTime;

	private final Map<LimitKey, Since> locked = new ConcurrentHashMap<>();

	LockedForLong(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Notes what a claim has seen.
	 * @param key the allowance
	 * @param isLocked whether somebody else has locked it
	 */
	void note(LimitKey key, boolean isLocked) {
		if (!isLocked) {
			this.locked.remove(key);
			return;
		}
		long now = this.nanoTime.getAsLong();
		if (this.locked.size() > MOST) {
			// Some are not asked for any more.
			this.locked.clear();
		}
		Since since = this.locked.merge(key, new Since(now, now, false),
				(known, first) -> (now - known.seen() > UNSEEN.toNanos()) ? first : known.at(now));
		if (!since.told() && now - since.nanos() > LONG.toNanos()
				&& this.locked.replace(key, since, new Since(since.nanos(), now, true))) {
			log.warn(
					"A connection has locked the row ({}, '{}') of jobqueue_allowance for {} s, so that no job of that limit "
							+ "number and key starts: a host has vanished in the middle of a claim, or somebody works in the table. "
							+ "performance_schema.data_locks shows the connection; KILL ends it",
					key.limitId(), key.key(), LONG.toSeconds());
		}
	}

	/**
	 * For how long to leave an allowance alone: about as long as it is locked already,
	 * from one claim's time to a second.
	 */
	Duration pause(LimitKey key) {
		Since since = this.locked.get(key);
		Duration locked = (since != null) ? Duration.ofNanos(this.nanoTime.getAsLong() - since.nanos()) : CLAIM;
		if (locked.compareTo(CLAIM) < 0) {
			return CLAIM;
		}
		return (locked.compareTo(LONGEST_PAUSE) < 0) ? locked : LONGEST_PAUSE;
	}

	/**
	 * Since when it is locked.
	 *
	 * @param nanos when it was first seen so
	 * @param seen when it was last
	 * @param told whether that was logged
	 */
	private record Since(long nanos, long seen, boolean told) {

		Since at(long now) {
			return new Since(this.nanos, now, this.told);
		}

	}

}
