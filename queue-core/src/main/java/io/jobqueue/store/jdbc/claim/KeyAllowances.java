package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitPauses;
import io.jobqueue.store.jdbc.limit.Booking;
import org.jspecify.annotations.Nullable;

/**
 * The allowances of limit keys that one claim has locked.
 */
final class KeyAllowances {

	private final ClaimLimits limits;

	private final Map<LimitKey, KeyAllowance> locked = new TreeMap<>();

	/** Or their limit is gone. */
	private final Set<LimitKey> lockedByOthers = new HashSet<>();

	KeyAllowances(ClaimLimits limits) {
		this.limits = limits;
	}

	/**
	 * Locks those of jobs that were found.
	 * @param keys the keys of the jobs
	 * @param claim the claim's transaction
	 */
	void lock(Map<Candidate, LimitKey> keys, ClaimTransaction claim) {
		Set<LimitKey> unknown = new TreeSet<>(keys.values());
		unknown.removeAll(this.locked.keySet());
		unknown.removeAll(this.lockedByOthers);
		if (!unknown.isEmpty()) {
			Map<LimitKey, KeyAllowance> now = this.limits.lock(unknown, claim);
			this.locked.putAll(now);
			unknown.removeAll(now.keySet());
			this.lockedByOthers.addAll(unknown);
		}
		keys.forEach((job, key) -> {
			KeyAllowance allowance = this.locked.get(key);
			if (allowance != null) {
				allowance.found(job.id());
			}
		});
	}

	/**
	 * One of them.
	 * @return null if somebody else has locked it
	 */
	@Nullable KeyAllowance of(LimitKey key) {
		return this.locked.get(key);
	}

	/**
	 * Notes what was taken.
	 * @param starts how many jobs of each key
	 * @param bookings gets what is to be written
	 * @param claim the claim's transaction
	 */
	void book(Map<LimitKey, Integer> starts, List<Booking> bookings, ClaimTransaction claim) {
		LimitPauses pauses = claim.request().limits();
		this.locked.forEach((key, allowance) -> {
			int started = starts.getOrDefault(key, 0);
			KeyAllowance.Written written = allowance.written(started);
			if (written.booking() != null) {
				bookings.add(written.booking());
			}
			Duration again = written.lookAgain();
			if (again != null) {
				claim.onCommit(() -> pauses.due(again));
			}
			if (allowance.isFree(started)) {
				claim.onCommit(() -> pauses.freed(key));
			}
		});
	}

}
