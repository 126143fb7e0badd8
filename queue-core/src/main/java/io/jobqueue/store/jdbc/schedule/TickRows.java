package io.jobqueue.store.jdbc.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.schedule.Jitter;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.StoredSchedule;
import io.jobqueue.store.TickPlan;

/**
 * The ticks that had a job. Read and written under the lock of their schedules, so that
 * none has two, even if the clock has gone back.
 */
final class TickRows {

	private static final String FIRED = """
			SELECT schedule_id, tick_at FROM jobqueue_tick{byPrimary} WHERE""";

	private static final String FIRED_OF_ONE = " (schedule_id = %d AND tick_at IN (%s))";

	private static final String FIRED_SINCE = """
			SELECT COUNT(*)
			FROM jobqueue_tick{byPrimary}
			WHERE schedule_id = :id AND tick_at >= :from AND tick_at <= :to""";

	private static final String INSERT = """
			INSERT INTO jobqueue_tick (schedule_id, tick_at, job_id) VALUES (?, ?, ?)""";

	private static final DateTimeFormatter LITERAL = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSS",
			Locale.ROOT);

	private final Database database;

	TickRows(Database database) {
		this.database = database;
	}

	/**
	 * Which of the ticks that are to be fired had a job before the clock went back.
	 */
	Map<Long, Set<Instant>> fired(List<TickPlan> plans) {
		List<String> conditions = new ArrayList<>();
		for (TickPlan plan : plans) {
			List<Instant> ticks = plan.ticks().fire();
			if (!ticks.isEmpty()) {
				conditions.add(FIRED_OF_ONE.formatted(plan.schedule().id(),
						ticks.stream()
							.map((tick) -> "TIMESTAMP '" + LITERAL.format(Utc.of(tick)) + "'")
							.collect(Collectors.joining(", "))));
			}
		}
		Map<Long, Set<Instant>> fired = new HashMap<>();
		if (!conditions.isEmpty()) {
			this.database.template().query(this.database.constant(FIRED) + String.join(" OR", conditions), (row) -> {
				fired.computeIfAbsent(row.getLong("schedule_id"), (id) -> new HashSet<>())
					.add(Utc.instant(row, "tick_at"));
			});
		}
		return fired;
	}

	/**
	 * How many ticks are missed: not those that had a job before the clock went back.
	 * @param plan what was planned
	 * @param firedBefore which of the ticks that are to be fired had one
	 */
	long missed(TickPlan plan, Set<Instant> firedBefore) {
		Instant first = plan.schedule().times().next();
		if (plan.ticks().missed() == 0 || first == null) {
			return 0;
		}
		long known = this.database.sql(FIRED_SINCE)
			.param("id", plan.schedule().id())
			.param("from", Utc.of(first))
			.param("to", Utc.of(plan.schedule().readAt()))
			.query(Long.class)
			.single() - firedBefore.size();
		return Math.max(0, plan.ticks().missed() - known);
	}

	/**
	 * Notes that ticks have jobs.
	 * @param ticks the ticks
	 * @param jobs the ids of their jobs, in the same order
	 */
	void store(List<Tick> ticks, List<Long> jobs) {
		List<List<Object>> rows = new ArrayList<>();
		for (int i = 0; i < jobs.size(); i++) {
			rows.add(List.of(ticks.get(i).schedule().id(), Utc.of(ticks.get(i).at()), jobs.get(i)));
		}
		for (List<List<Object>> part : Chunks.of(rows)) {
			this.database.template()
				.update(INSERT + ", (?, ?, ?)".repeat(part.size() - 1), part.stream().flatMap(List::stream).toArray());
		}
	}

	/**
	 * A tick that gets a job.
	 */
	record Tick(StoredSchedule schedule, Instant at, EnqueuedJob job) {

		static Tick of(StoredSchedule schedule, Instant at) {
			EnqueuedJob job = schedule.understood().job();
			Instant start = at.plus(Jitter.of(schedule.name(), at, schedule.understood().jitter()));
			// One in the past would stand before what claims have passed already.
			Duration delay = Duration.between(schedule.readAt(), start);
			return new Tick(schedule, at,
					new EnqueuedJob(delay.isNegative() ? job.job() : job.job().delay(delay), job.payload(), at));
		}

	}

}
