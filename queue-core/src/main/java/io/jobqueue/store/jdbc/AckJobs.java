package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.JobState;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;

/**
 * ack: RUNNING → archive SUCCEEDED, or nothing at all where succeeded jobs are not kept.
 */
final class AckJobs implements Ending<Finish.Ack> {

	/** A job under its first claim has not failed yet. */
	private static final long FIRST_FENCE = 1;

	private final ArchiveJobs archive;

	private final boolean keepSucceeded;

	AckJobs(ArchiveJobs archive, boolean keepSucceeded) {
		this.archive = archive;
		this.keepSucceeded = keepSucceeded;
	}

	@Override
	public Class<Finish.Ack> type() {
		return Finish.Ack.class;
	}

	@Override
	public void end(List<Finish.Ack> acks, LockClaims.Locked locked) {
		List<Claim> claims = acks.stream().map(Finish.Ack::claim).toList();
		List<Long> ids = claims.stream().map(Claim::id).toList();
		if (this.keepSucceeded) {
			this.archive.move(JobState.SUCCEEDED, ids);
		}
		else {
			this.archive.delete(ids, ids.stream().filter(locked.large()::contains).toList(),
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
