package io.jobqueue.spring.actuate;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.jobqueue.ScheduleStatus;
import io.jobqueue.store.ScheduleStore.Summary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

/**
 * Shows the latest sample of the recurring jobs: all together, and the first hundred one
 * by one.
 */
public final class ScheduleMeters {

	private final RowGauges last;

	private final RowGauges next;

	private final RowGauges missed;

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 * @param sampler who measures the schedules
	 */
	public ScheduleMeters(MeterRegistry registry, QueueSampler sampler) {
		this.last = multi(registry, "jobqueue.schedule.last", "The last tick that had a job, in seconds since 1970");
		this.next = multi(registry, "jobqueue.schedule.next", "The next tick, in seconds since 1970");
		this.missed = multi(registry, "jobqueue.schedule.missed", "Ticks that were missed and not caught up");
		gauge(registry, sampler, "all", Summary::count);
		gauge(registry, sampler, "paused", Summary::paused);
		gauge(registry, sampler, "orphaned", Summary::orphaned);
		gauge(registry, sampler, "failing", Summary::failing);
		tick(registry, sampler, "fired", Summary::fired);
		tick(registry, sampler, "missed", Summary::missed);
		tick(registry, sampler, "skipped", Summary::skipped);
		Gauge
			.builder("jobqueue.schedules.overdue", sampler,
					(source) -> source.latest().schedules().summary().overdue().toMillis() / 1000.0)
			.description("For how long the longest due tick has had no job")
			.baseUnit("seconds")
			.register(registry);
		sampler.addListener(this::show);
	}

	private static RowGauges multi(MeterRegistry registry, String name, String description) {
		return new RowGauges(MultiGauge.builder(name).description(description), registry);
	}

	private static void gauge(MeterRegistry registry, QueueSampler sampler, String state,
			ToDoubleFunction<Summary> value) {
		Gauge
			.builder("jobqueue.schedules", sampler,
					(source) -> value.applyAsDouble(source.latest().schedules().summary()))
			.tag("state", state)
			.description("Schedules by state")
			.register(registry);
	}

	private static void tick(MeterRegistry registry, QueueSampler sampler, String what,
			ToDoubleFunction<Summary> value) {
		Gauge
			.builder("jobqueue.schedules.ticks", sampler,
					(source) -> value.applyAsDouble(source.latest().schedules().summary()))
			.tag("outcome", what)
			.description("Ticks of all schedules since these were saved, by what became of them")
			.register(registry);
	}

	private void show(QueueSample sample) {
		List<ScheduleStatus> schedules = sample.schedules().first();
		this.last.show(rows(schedules, (schedule) -> seconds(schedule.last())));
		this.next.show(rows(schedules, (schedule) -> seconds(schedule.next())));
		this.missed.show(rows(schedules, ScheduleStatus::missed));
	}

	private static double seconds(@Nullable Instant time) {
		return (time != null) ? time.toEpochMilli() / 1000.0 : Double.NaN;
	}

	private static Map<Tags, Double> rows(List<ScheduleStatus> schedules, ToDoubleFunction<ScheduleStatus> value) {
		Map<Tags, Double> rows = new HashMap<>();
		for (ScheduleStatus schedule : schedules) {
			rows.put(Tags.of("schedule", schedule.name()), value.applyAsDouble(schedule));
		}
		return rows;
	}

}
