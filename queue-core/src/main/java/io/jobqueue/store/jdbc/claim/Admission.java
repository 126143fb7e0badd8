package io.jobqueue.store.jdbc.claim;

import java.util.List;

import io.jobqueue.poison.Load;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;

/**
 * Decides which jobs a claim may take. It is asked twice in the claim's transaction: for
 * the ranges, before any job is locked, and for the jobs that were found there.
 */
interface Admission {

	/**
	 * Begins a claim, in the transaction that is open.
	 * @param request what a worker wants to claim
	 * @return what decides for this claim
	 */
	Gate open(ClaimRequest request);

	/**
	 * Decides for one claim.
	 */
	interface Gate {

		/**
		 * From which ranges it may take jobs, the most urgent first.
		 */
		List<ReadyRange> ranges();

		/**
		 * From which ranges it may, if none of the jobs in the others were admitted.
		 * These may have taken the places of jobs that would have been.
		 * @return fewer ranges, or the same
		 */
		List<ReadyRange> rangesOtherwise();

		/**
		 * Which of the jobs it may take. The commit unlocks the others.
		 * @param jobs jobs that the transaction has locked
		 * @return those that the worker may hold beside what it holds
		 */
		Load.Admitted<ClaimedJob> admit(List<ClaimedJob> jobs);

	}

}
