package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.JobState;
import io.jobqueue.store.Finish;

/**
 * dead-letter: RUNNING → archive DEAD, with the error of the last attempt.
 */
final class DeadLetterJobs {

	private final ArchiveJobs archive;

	private final StoreErrors errors;

	DeadLetterJobs(ArchiveJobs archive, StoreErrors errors) {
		this.archive = archive;
		this.errors = errors;
	}

	void deadLetter(List<Finish.DeadLetter> dead) {
		this.errors.store(dead.stream().map((one) -> new StoreErrors.Entry(one.claim(), one.failure())).toList());
		this.archive.move(JobState.DEAD, dead.stream().map((one) -> one.claim().id()).toList());
	}

}
