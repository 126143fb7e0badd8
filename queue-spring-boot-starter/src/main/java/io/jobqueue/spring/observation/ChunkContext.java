package io.jobqueue.spring.observation;

import java.util.List;
import java.util.Map;

import io.jobqueue.JobContext;
import io.micrometer.observation.Observation;

/**
 * The run of a batch handler, with the commit of its transaction if it has one. Its jobs
 * may belong to many traces, so it has one of its own, with a link to each of theirs.
 */
public final class ChunkContext extends Observation.Context {

	private final List<JobContext> jobs;

	private final List<Map<String, String>> headers;

	ChunkContext(List<JobContext> jobs, List<Map<String, String>> headers) {
		this.jobs = List.copyOf(jobs);
		this.headers = List.copyOf(headers);
	}

	/**
	 * The jobs of the chunk.
	 * @return at least one, all of one type and queue
	 */
	public List<JobContext> jobs() {
		return this.jobs;
	}

	/**
	 * What the enqueues of the jobs have stored.
	 * @return headers by name, for each trace once
	 */
	public List<Map<String, String>> headers() {
		return this.headers;
	}

}
