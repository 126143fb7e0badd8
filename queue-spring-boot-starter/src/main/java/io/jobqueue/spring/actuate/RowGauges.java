package io.jobqueue.spring.actuate;

import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;

/**
 * Gauges of rows that come and go, as queues do. They are registered anew only when there
 * are others: a registry for Prometheus that is asked at that moment may find one twice,
 * and fails.
 */
final class RowGauges {

	private final MultiGauge gauges;

	/** Written by one thread at a time. */
	private volatile Map<Tags, Double> values = Map.of();

	RowGauges(MultiGauge.Builder gauges, MeterRegistry registry) {
		this.gauges = gauges.register(registry);
	}

	/**
	 * Shows other values.
	 * @param now the values by the tags of their rows
	 */
	void show(Map<Tags, Double> now) {
		boolean others = !now.keySet().equals(this.values.keySet());
		this.values = Map.copyOf(now);
		if (others) {
			List<MultiGauge.Row<?>> rows = now.keySet().stream().<MultiGauge.Row<?>>map(this::row).toList();
			this.gauges.register(rows);
		}
	}

	private MultiGauge.Row<RowGauges> row(Tags tags) {
		return MultiGauge.Row.of(tags, this, (shown) -> shown.values.getOrDefault(tags, Double.NaN));
	}

}
