package io.jobqueue.store;

import io.jobqueue.store.ApplicationStore.DeadJob;
import io.jobqueue.store.MaintenanceStore.Batch;
import org.jspecify.annotations.Nullable;

/**
 * Sees to what is kept of the causes of dead jobs, whatever other programs do with the
 * tables. Each method looks at one page, in transactions of its own.
 */
public interface DeadJobStore {

	/**
	 * Finds the causes of dead jobs that other programs have archived.
	 * @param after the job after which to go on, the longest dead first; null to start
	 * @param limit how many jobs to look at
	 * @return how many causes were found, and after which job to go on
	 */
	Batch<DeadJob> addMissing(@Nullable DeadJob after, int limit);

	/**
	 * Forgets the causes of jobs that are dead no more, or gone.
	 * @param after the id after which to go on; null to start
	 * @param limit how many jobs to look at
	 * @return how many were forgotten, and after which id to go on
	 */
	Batch<Long> forgetGone(@Nullable Long after, int limit);

}
