package io.jobqueue.store.jdbc;

import java.util.List;
import java.util.Set;

import io.jobqueue.JobState;
import io.jobqueue.store.Claim;

/**
 * ack: RUNNING → archive SUCCEEDED, or nothing at all where succeeded jobs are not kept.
 */
final class AckJobs {

	/** A job under its first claim has not failed yet. */
	private static final long FIRST_FENCE = 1;

	private final ArchiveJobs archive;

	private final boolean keepSucceeded;

	AckJobs(ArchiveJobs archive, boolean keepSucceeded) {
		this.archive = archive;
		this.keepSucceeded = keepSucceeded;
	}

	/**
	 * Acks jobs whose claims are current.
	 * @param claims the claims
	 * @param large the ids of jobs whose payload is in a table of its own, these or
	 * others
	 */
	void ack(List<Claim> claims, Set<Long> large) {
		List<Long> ids = claims.stream().map(Claim::id).toList();
		if (this.keepSucceeded) {
			this.archive.move(JobState.SUCCEEDED, ids);
		}
		else {
			this.archive.delete(ids, ids.stream().filter(large::contains).toList(),
					claims.stream().filter((claim) -> claim.fence() != FIRST_FENCE).map(Claim::id).toList());
		}
	}

	/**
	 * Acks one job by two statements instead of three: the first checks the fence.
	 * @return whether the claim was current; if not, the transaction must be rolled back
	 */
	boolean ackOne(Claim claim) {
		return this.keepSucceeded ? this.archive.moveIfCurrent(JobState.SUCCEEDED, claim)
				: this.archive.deleteIfCurrent(claim);
	}

}
