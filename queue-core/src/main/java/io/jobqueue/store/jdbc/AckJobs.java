package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.JobState;

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

}
