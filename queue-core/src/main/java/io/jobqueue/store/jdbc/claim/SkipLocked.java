package io.jobqueue.store.jdbc.claim;

import java.util.List;

import io.jobqueue.database.Database;
import io.jobqueue.poison.Load;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ReadyRange;

/**
 * Takes the jobs that it has locked; those that somebody else has locked are passed over.
 */
final class SkipLocked implements TakeJobs {

	private final NextJobs next;

	private final MarkRunning running;

	/**
	 * Creates it.
	 * @param database the database
	 * @param next finds jobs and locks them
	 */
	SkipLocked(Database database, NextJobs next) {
		this.next = next;
		this.running = new MarkRunning(database, "");
	}

	@Override
	public LockWaits waits() {
		return LockWaits.USUAL;
	}

	@Override
	public Taking begin(ClaimTransaction claim) {
		return new Taking() {

			@Override
			public List<Candidate> find(ReadyRange range, int limit) {
				return SkipLocked.this.next.find(claim, range, limit, 0);
			}

			@Override
			public List<Candidate> hold(List<Candidate> jobs) {
				return jobs;
			}

			@Override
			public List<ClaimedJob> take(Load.Admitted<ClaimedJob> admitted) {
				SkipLocked.this.take(claim, admitted);
				return admitted.jobs();
			}

		};
	}

	private void take(ClaimTransaction claim, Load.Admitted<ClaimedJob> admitted) {
		this.running.update(admitted.jobs(), claim.request().sessionId(), admitted.heldLimit(), claim::deadline);
	}

}
