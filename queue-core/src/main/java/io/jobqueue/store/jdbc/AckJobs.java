package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.JobState;
import io.jobqueue.store.Claim;

/**
 * ack: RUNNING → archive SUCCEEDED, or nothing at all where succeeded jobs are not kept.
 */
final class AckJobs {

	private final ArchiveJobs archive;

	private final boolean keepSucceeded;

	AckJobs(ArchiveJobs archive, boolean keepSucceeded) {
		this.archive = archive;
		this.keepSucceeded = keepSucceeded;
	}

	void ack(List<Long> ids) {
		if (this.keepSucceeded) {
			this.archive.move(JobState.SUCCEEDED, ids);
		}
		else {
			this.archive.delete(ids);
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
