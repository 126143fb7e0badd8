package io.jobqueue;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A page of a list of jobs.
 *
 * @param jobs the jobs, without payloads and stack traces
 * @param next where the next page begins; null if there is none
 */
public record JobPage(List<Job> jobs, @Nullable String next) {

	public JobPage {
		jobs = List.copyOf(jobs);
	}

}
