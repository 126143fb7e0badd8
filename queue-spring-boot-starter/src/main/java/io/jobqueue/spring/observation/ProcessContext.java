package io.jobqueue.spring.observation;

import java.util.Map;
import java.util.Objects;

import io.jobqueue.JobContext;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;

/**
 * The run of a handler, with the commit of its transaction if it has one. The carrier is
 * what the enqueue has stored: an attempt belongs to the trace that its job was enqueued
 * in.
 */
public final class ProcessContext extends ReceiverContext<Map<String, String>> {

	private final JobContext job;

	ProcessContext(JobContext job, Map<String, String> headers) {
		super((carrier, name) -> Objects.requireNonNull(carrier).get(name), Kind.CONSUMER);
		this.job = job;
		setCarrier(headers);
	}

	/**
	 * The job whose handler runs.
	 * @return the job
	 */
	public JobContext job() {
		return this.job;
	}

}
