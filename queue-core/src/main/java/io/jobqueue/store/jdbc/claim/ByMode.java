package io.jobqueue.store.jdbc.claim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.jobqueue.database.Database;
import io.jobqueue.poison.Load;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ReadyRange;

/**
 * Takes jobs in the way of their queue's mode. Those of row-lock queues are read only:
 * they are nobody's until they start.
 */
final class ByMode implements TakeJobs {

	/** For each slot. */
	private static final int AHEAD = 8;

	private final TakeJobs standard;

	private final NextJobs notStarted;

	private final LockUnchanged lock;

	/**
	 * Creates it.
	 * @param database the database
	 * @param standard takes the jobs of all other queues
	 * @param notStarted finds jobs that have not started
	 */
	ByMode(Database database, TakeJobs standard, NextJobs notStarted) {
		this.standard = standard;
		this.notStarted = notStarted;
		this.lock = new LockUnchanged(database);
	}

	@Override
	public void prepare() {
		this.standard.prepare();
	}

	@Override
	public LockWaits waits() {
		return this.standard.waits();
	}

	@Override
	public boolean takesByOneStatement() {
		return this.standard.takesByOneStatement();
	}

	@Override
	public Taking begin(ClaimTransaction claim) {
		return new ByModeTaking(claim, this.standard.begin(claim));
	}

	/**
	 * What one claim takes.
	 */
	private final class ByModeTaking implements Taking {

		private final ClaimTransaction claim;

		private final Taking standard;

		ByModeTaking(ClaimTransaction claim, Taking standard) {
			this.claim = claim;
			this.standard = standard;
		}

		/**
		 * Of those that are not claimed no more are found than can start soon: others may
		 * run them meanwhile.
		 */
		@Override
		public List<Candidate> find(ReadyRange range, int limit) {
			if (!range.isRowLock()) {
				return this.standard.find(range, limit);
			}
			int most = Math.min(limit, AHEAD * this.claim.request().load().slots());
			return ByMode.this.notStarted.find(this.claim, range, most, 0);
		}

		@Override
		public List<Candidate> hold(List<Candidate> jobs) {
			List<Candidate> held = new ArrayList<>(
					this.standard.hold(jobs.stream().filter((job) -> !job.job().isRowLock()).toList()));
			held.addAll(ByMode.this.lock.lock(jobs.stream().filter((job) -> job.job().isRowLock()).toList()));
			return held;
		}

		@Override
		public List<ClaimedJob> take(Load.Admitted<ClaimedJob> admitted) {
			List<ClaimedJob> standard = admitted.jobs().stream().filter((job) -> !job.isRowLock()).toList();
			if (standard.size() == admitted.jobs().size()) {
				return this.standard.take(admitted);
			}
			Set<ClaimedJob> taken = new HashSet<>(this.standard
				.take(new Load.Admitted<>(standard, admitted.heldLimit(), admitted.solo(), admitted.soloRefused())));
			return admitted.jobs().stream().filter((job) -> job.isRowLock() || taken.contains(job)).toList();
		}

	}

}
