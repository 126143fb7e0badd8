package io.jobqueue;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Jobs as an operator looks for them: in lists that are read page by page, and counted.
 * Whatever the tables hold, each call reads a bounded number of rows by an index. Jobs in
 * lists have neither payload nor stack trace; {@link JobQueue#find} has.
 * <p>
 * Safe for use by many threads. Each call reads by itself, apart from any transaction of
 * the caller's, and throws Spring's {@code DataAccessException} if the database cannot be
 * reached.
 */
public interface Jobs {

	/**
	 * Reads one page of a list. Jobs of one state that have ended come in the order of
	 * their ends, the latest first, all others in the order of their ids, the newest
	 * first.
	 * @param filter which jobs
	 * @param after where the page before ended ({@link JobPage#next}); null for the first
	 * page
	 * @param limit how many jobs at most, from 1 to 1,000
	 * @return the page, which has fewer jobs, or even none, if many others had to be
	 * looked at
	 * @throws IllegalArgumentException if the limit is out of range, or {@code after} is
	 * not of a page of this filter
	 */
	JobPage list(JobFilter filter, @Nullable String after, int limit);

	/**
	 * Counts jobs, up to 100,000; with a filter that no index answers, those among the
	 * first 20,000 that it is asked of.
	 * @param filter which jobs
	 * @return how many there are, at least
	 */
	JobCount count(JobFilter filter);

	/**
	 * Lists why attempts of a job have failed, the last one first, with stack traces.
	 * @param id the job's id
	 * @param limit how many at most, from 1 to 1,000
	 * @return the errors; none of a job that nobody knows
	 * @throws IllegalArgumentException if the limit is out of range
	 */
	List<JobError> errors(long id, int limit);

	/**
	 * Lists why jobs are dead, the cause of most jobs first. Jobs that other programs
	 * have made dead are found within some minutes, later where there are many.
	 * @param limit how many causes at most, from 1 to 1,000
	 * @return the causes of jobs that are dead now
	 * @throws IllegalArgumentException if the limit is out of range
	 */
	List<DeadCause> deadCauses(int limit);

}
