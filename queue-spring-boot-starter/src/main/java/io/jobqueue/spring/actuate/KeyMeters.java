package io.jobqueue.spring.actuate;

import java.util.ArrayList;
import java.util.List;

import io.jobqueue.LimitStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;

/**
 * Shows the latest sample of limits and order keys.
 */
public final class KeyMeters {

	private final MultiGauge jobs;

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 * @param sampler who measures limits and order keys
	 */
	public KeyMeters(MeterRegistry registry, QueueSampler sampler) {
		this.jobs = MultiGauge.builder("jobqueue.limit.jobs")
			.description("Jobs of a limit: running, ready (to start, or at their time), "
					+ "waiting (their limit key has no place for them)")
			.register(registry);
		Gauge.builder("jobqueue.blocked.keys", sampler, (source) -> source.latest().keys().blockedKeys())
			.description("Order keys that a dead job blocks, counted up to 1,000")
			.register(registry);
		sampler.addListener(this::show);
	}

	private void show(QueueSample sample) {
		List<MultiGauge.Row<?>> rows = new ArrayList<>();
		for (LimitStatus status : sample.keys().limits()) {
			rows.add(row(status, "running", status.running()));
			rows.add(row(status, "ready", status.ready()));
			rows.add(row(status, "waiting", status.waiting()));
		}
		this.jobs.register(rows, true);
	}

	private static MultiGauge.Row<?> row(LimitStatus status, String state, long jobs) {
		return MultiGauge.Row.of(Tags.of("limit", status.limit().name(), "state", state), jobs);
	}

}
