package io.jobqueue.store;

import java.util.List;

import io.jobqueue.DeadCause;
import io.jobqueue.JobCount;
import io.jobqueue.JobError;
import io.jobqueue.JobFilter;
import io.jobqueue.JobPage;
import io.jobqueue.Jobs;
import org.jspecify.annotations.Nullable;

/**
 * How {@link Jobs} are read. Each method reads a bounded number of rows.
 */
public interface JobListing {

	/**
	 * Reads one page of a list.
	 * @param filter which jobs
	 * @param after where the page before ended; null for the first page
	 * @param limit how many jobs at most
	 * @return the page
	 * @throws IllegalArgumentException if {@code after} is not of a page of this filter
	 */
	JobPage list(JobFilter filter, @Nullable String after, int limit);

	/**
	 * Counts jobs.
	 * @param filter which jobs
	 * @return how many there are, at least
	 */
	JobCount count(JobFilter filter);

	/**
	 * Lists why attempts of a job have failed, the last one first.
	 * @param id the job's id
	 * @param limit how many at most
	 * @return the errors
	 */
	List<JobError> errors(long id, int limit);

	/**
	 * Lists why jobs are dead, the cause of most jobs first.
	 * @param limit how many causes at most
	 * @return the causes
	 */
	List<DeadCause> deadCauses(int limit);

}
