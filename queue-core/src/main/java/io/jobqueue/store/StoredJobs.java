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
 * The lists of jobs on top of their store.
 */
public class StoredJobs implements Jobs {

	private static final int MOST = 1_000;

	private final JobListing listing;

	/**
	 * Creates the lists.
	 * @param listing how jobs are read
	 */
	public StoredJobs(JobListing listing) {
		this.listing = listing;
	}

	@Override
	public JobPage list(JobFilter filter, @Nullable String after, int limit) {
		return this.listing.list(filter, after, checked(limit));
	}

	@Override
	public JobCount count(JobFilter filter) {
		return this.listing.count(filter);
	}

	@Override
	public List<JobError> errors(long id, int limit) {
		return this.listing.errors(id, checked(limit));
	}

	@Override
	public List<DeadCause> deadCauses(int limit) {
		return this.listing.deadCauses(checked(limit));
	}

	private static int checked(int limit) {
		if (limit < 1 || limit > MOST) {
			throw new IllegalArgumentException("limit must be from 1 to " + MOST + ", but is " + limit);
		}
		return limit;
	}

}
