package io.jobqueue.spring.actuate;

import java.util.HashMap;
import java.util.Map;

import io.jobqueue.LimitStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;

/**
 * Shows the latest sample of limits and order keys.
 */
public final class KeyMeters {

	private final RowGauges jobs;

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 * @param sampler who measures limits and order keys
	 */
	public KeyMeters(MeterRegistry registry, QueueSampler sampler) {
		this.jobs = new RowGauges(MultiGauge.builder("jobqueue.limit.jobs")
			.description("Jobs of a limit: running, ready (to start, or at their time), "
					+ "waiting (their limit key has no place for them)"),
				registry);
		Gauge.builder("jobqueue.blocked.keys", sampler, (source) -> source.latest().keys().blockedKeys())
			.description("Order keys that a dead job blocks, counted up to 1,000")
			.register(registry);
		sampler.addListener(this::show);
	}

	private void show(QueueSample sample) {
		Map<Tags, Double> rows = new HashMap<>();
		for (LimitStatus status : sample.keys().limits()) {
			rows.put(tags(status, "running"), (double) status.running());
			rows.put(tags(status, "ready"), (double) status.ready());
			rows.put(tags(status, "waiting"), (double) status.waiting());
		}
		this.jobs.show(rows);
	}

	private static Tags tags(LimitStatus status, String state) {
		return Tags.of("limit", status.limit().name(), "state", state);
	}

}
