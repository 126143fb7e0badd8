package io.jobqueue.spring.observation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.jobqueue.NewJob;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;

/**
 * An enqueue, of one job or of several. What the tracer writes into the carrier is stored
 * with each of them.
 */
public final class SendContext extends SenderContext<Map<String, String>> {

	private final List<NewJob> jobs;

	SendContext(List<NewJob> jobs) {
		super((carrier, name, value) -> Objects.requireNonNull(carrier).put(name, value), Kind.PRODUCER);
		this.jobs = List.copyOf(jobs);
		setCarrier(new HashMap<>());
	}

	/**
	 * The jobs that are enqueued.
	 * @return at least one
	 */
	public List<NewJob> jobs() {
		return this.jobs;
	}

}
