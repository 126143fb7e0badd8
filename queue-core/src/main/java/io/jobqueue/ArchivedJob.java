package io.jobqueue;

import java.util.List;

/**
 * A job of the archive, with all that is known of it.
 *
 * @param job the job
 * @param fence a number that grows with each claim and each change of the job. A job that
 * was redriven, and is archived again, has a higher one
 * @param errors why its attempts failed, the first one first
 */
public record ArchivedJob(Job job, long fence, List<JobError> errors) {

	public ArchivedJob {
		errors = List.copyOf(errors);
	}

}
