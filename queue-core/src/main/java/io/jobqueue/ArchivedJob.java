package io.jobqueue;

import java.util.List;

/**
 * A job of the archive, with all that is known of it.
 *
 * @param job the job
 * @param fence how often it was claimed and given back, which tells its stays in the
 * archive from each other: a dead job that was redriven comes back with a higher one
 * @param errors why its attempts failed, the first one first
 */
public record ArchivedJob(Job job, long fence, List<JobError> errors) {

	public ArchivedJob {
		errors = List.copyOf(errors);
	}

}
