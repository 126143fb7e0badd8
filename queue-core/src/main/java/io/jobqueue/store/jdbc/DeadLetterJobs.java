package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.JobState;
import io.jobqueue.store.Finish;

/**
 * dead-letter: RUNNING → archive DEAD, with the error of the last attempt.
 */
final class DeadLetterJobs implements Ending<Finish.DeadLetter> {

	private final ArchiveJobs archive;

	private final StoreErrors errors;

	DeadLetterJobs(ArchiveJobs archive, StoreErrors errors) {
		this.archive = archive;
		this.errors = errors;
	}

	@Override
	public Class<Finish.DeadLetter> type() {
		return Finish.DeadLetter.class;
	}

	@Override
	public void end(List<Finish.DeadLetter> dead, LockClaims.Locked locked) {
		this.errors.store(dead.stream().map((one) -> new StoreErrors.Entry(one.claim(), one.failure())).toList());
		this.archive.move(JobState.DEAD, dead.stream().map((one) -> one.claim().id()).toList());
	}

}
