package io.jobqueue.store.jdbc.claim;

import java.util.ArrayList;
import java.util.List;

import io.jobqueue.store.ClaimedJob;

import org.jspecify.annotations.Nullable;

/**
 * What came of one transaction.
 *
 * @param jobs the jobs that are claimed
 * @param cleared how many jobs were archived
 * @param lost how many jobs others have claimed, or changed, meanwhile
 * @param claim the transaction, or null if it was given up because of locks
 */
record Claimed(List<ClaimedJob> jobs, int cleared, int lost, @Nullable ClaimTransaction claim) {

	static final Claimed BLOCKED = new Claimed(List.of(), 0, 0, null);

	/** The two together, of which the first has taken none. */
	Claimed after(Claimed first) {
		return new Claimed(this.jobs, this.cleared + first.cleared, this.lost + first.lost, this.claim);
	}

	/** The same, and what was taken before. */
	Claimed with(List<ClaimedJob> before) {
		List<ClaimedJob> all = new ArrayList<>(before);
		all.addAll(this.jobs);
		return new Claimed(all, this.cleared, this.lost, this.claim);
	}

	Claimed commit() {
		if (this.claim != null) {
			this.claim.committed();
		}
		return this;
	}

	boolean blocked() {
		return this.claim == null;
	}

	/** Whether there may be jobs, though it has none. */
	boolean isNoneYet() {
		return this.jobs.isEmpty() && (this.cleared > 0 || this.lost > 0 || blocked());
	}

}
