package io.jobqueue.store.jdbc.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.jobqueue.Overlap;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.schedule.Jitter;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.ScheduleStore.Fired;
import io.jobqueue.store.StoredSchedule;
import io.jobqueue.store.TickPlan;
import io.jobqueue.store.jdbc.enqueue.EnqueueInTransaction;

import org.jspecify.annotations.Nullable;

/**
 * fire: enqueues the jobs of ticks that are due, and goes on to the next ones, in one
 * transaction. The rows of the schedules are locked first and compared with what was
 * read, so that what two nodes have planned is done once.
 */
final class FireTicks {

	private static final String LOCK = ScheduleRows.SELECT + "{byPrimary} WHERE id IN (:ids) {lockFree}";

	private static final String LIVE = """
			SELECT id, type FROM jobqueue_job{byPrimary} WHERE id IN (:ids)""";

	private static final String FIRED = """
			SELECT schedule_id, tick_at
			FROM jobqueue_tick{byPrimary}
			WHERE schedule_id IN (:ids) AND tick_at >= :from AND tick_at <= :to""";

	private static final String INSERT = """
			INSERT INTO jobqueue_tick (schedule_id, tick_at, job_id) VALUES (?, ?, ?)""";

	private static final String GO_ON = """
			UPDATE jobqueue_schedule{byPrimary}
			SET next_at = TIMESTAMPADD(MICROSECOND, :nextTick, TIMESTAMP '1970-01-01 00:00:00'),
			    due_at = TIMESTAMPADD(MICROSECOND, :nextTick, TIMESTAMP '1970-01-01 00:00:00'),
			    last_at = TIMESTAMPADD(MICROSECOND, :lastTick, TIMESTAMP '1970-01-01 00:00:00'),
			    last_job_id = :lastJob, fired = fired + :moreFired, missed = missed + :moreMissed,
			    skipped = skipped + :moreSkipped, failures = 0, problem = ''
			WHERE id IN (:ids)""";

	private static final int MAX_ROWS = 500;

	private final Database database;

	private final EnqueueInTransaction enqueue;

	FireTicks(Database database, EnqueueInTransaction enqueue) {
		this.database = database;
		this.enqueue = enqueue;
	}

	/**
	 * Does what was planned, in the transaction that is open.
	 */
	Fired fire(List<TickPlan> plans) {
		Map<Long, TickPlan> byId = plans.stream()
			.collect(Collectors.toMap((plan) -> plan.schedule().id(), Function.identity()));
		List<StoredSchedule> locked = this.database.numbers(LOCK)
			.ids(new TreeSet<>(byId.keySet()))
			.query(ScheduleRows::read)
			.stream()
			.filter((now) -> ScheduleRows.isUnchanged(plan(byId, now).schedule(), now) && !now.flags().orphaned())
			.toList();
		if (locked.isEmpty()) {
			return new Fired(0, List.of());
		}
		Set<Long> busy = withLiveJob(locked);
		Map<Long, Set<Instant>> before = fired(locked, byId);
		Map<Long, Step> steps = new HashMap<>();
		for (StoredSchedule schedule : locked) {
			steps.put(schedule.id(), Step.of(schedule, plan(byId, schedule), busy.contains(schedule.id()),
					before.getOrDefault(schedule.id(), Set.of())));
		}
		List<Tick> ticks = steps.values().stream().flatMap((step) -> step.ticks().stream()).toList();
		List<EnqueuedJob> jobs = ticks.stream().map(Tick::job).toList();
		List<Long> ids = this.enqueue.enqueueInOwn(jobs).ids();
		store(ticks, ids);
		Map<Long, Long> lastJobs = new HashMap<>();
		for (int i = 0; i < ids.size(); i++) {
			lastJobs.put(ticks.get(i).schedule().id(), ids.get(i));
		}
		goOn(steps, lastJobs);
		return new Fired(locked.size(), jobs);
	}

	private static TickPlan plan(Map<Long, TickPlan> plans, StoredSchedule schedule) {
		TickPlan plan = plans.get(schedule.id());
		if (plan == null) {
			throw new IllegalStateException("A schedule was read that was not asked for: " + schedule.id());
		}
		return plan;
	}

	/**
	 * Those whose last job is live and that allow only one.
	 */
	private Set<Long> withLiveJob(List<StoredSchedule> schedules) {
		List<StoredSchedule> single = schedules.stream()
			.filter((one) -> one.definition().overlap() == Overlap.SKIP && one.counts().lastJobId() != 0)
			.toList();
		if (single.isEmpty()) {
			return Set.of();
		}
		Map<Long, String> live = live(
				single.stream().map((one) -> one.counts().lastJobId()).collect(Collectors.toSet()));
		return single.stream()
			.filter((one) -> isOf(one, live.get(one.counts().lastJobId())))
			.map(StoredSchedule::id)
			.collect(Collectors.toSet());
	}

	/**
	 * Whether the last job of a schedule is live.
	 */
	boolean hasLiveJob(StoredSchedule schedule) {
		long job = schedule.counts().lastJobId();
		return job != 0 && isOf(schedule, live(Set.of(job)).get(job));
	}

	/** Another job may have got the id, after the table was truncated. */
	private static boolean isOf(StoredSchedule schedule, @Nullable String type) {
		return schedule.definition().job().job().type().equals(type);
	}

	private Map<Long, String> live(Set<Long> jobs) {
		Map<Long, String> types = new HashMap<>();
		this.database.numbers(LIVE).ids(jobs).query((row, number) -> types.put(row.getLong(1), row.getString(2)));
		return types;
	}

	private Map<Long, Set<Instant>> fired(List<StoredSchedule> schedules, Map<Long, TickPlan> plans) {
		LocalDateTime from = ScheduleRows.NEVER;
		LocalDateTime to = Utc.of(Instant.EPOCH);
		for (StoredSchedule schedule : schedules) {
			Instant first = schedule.times().next();
			LocalDateTime start = (first != null) ? Utc.of(first) : from;
			LocalDateTime end = Utc.of(plan(plans, schedule).schedule().readAt());
			from = start.isBefore(from) ? start : from;
			to = end.isAfter(to) ? end : to;
		}
		Map<Long, Set<Instant>> fired = new HashMap<>();
		this.database.sql(FIRED)
			.param("ids", schedules.stream().map(StoredSchedule::id).toList())
			.param("from", from)
			.param("to", to)
			.query((row) -> {
				fired.computeIfAbsent(row.getLong("schedule_id"), (id) -> new HashSet<>())
					.add(Utc.instant(row, "tick_at"));
			});
		return fired;
	}

	private void store(List<Tick> ticks, List<Long> jobs) {
		List<Object[]> rows = new ArrayList<>();
		for (int i = 0; i < jobs.size(); i++) {
			rows.add(new Object[] { ticks.get(i).schedule().id(), Utc.of(ticks.get(i).at()), jobs.get(i) });
		}
		for (int start = 0; start < rows.size(); start += MAX_ROWS) {
			List<Object[]> part = rows.subList(start, Math.min(rows.size(), start + MAX_ROWS));
			this.database.template()
				.update(INSERT + ", (?, ?, ?)".repeat(part.size() - 1),
						part.stream().flatMap((row) -> List.of(row).stream()).toArray());
		}
	}

	private void goOn(Map<Long, Step> steps, Map<Long, Long> lastJobs) {
		Map<Long, Long> next = new HashMap<>();
		Map<Long, Long> last = new HashMap<>();
		Map<Long, Long> lastJob = new HashMap<>();
		Map<Long, Long> fired = new HashMap<>();
		Map<Long, Long> missed = new HashMap<>();
		Map<Long, Long> skipped = new HashMap<>();
		steps.forEach((id, step) -> {
			next.put(id, micros(step.next()));
			last.put(id, micros(step.last()));
			lastJob.put(id, lastJobs.getOrDefault(id, step.schedule().counts().lastJobId()));
			fired.put(id, (long) step.ticks().size());
			missed.put(id, step.missed());
			skipped.put(id, step.skipped());
		});
		this.database.numbers(GO_ON)
			.byId("nextTick", next)
			.byId("lastTick", last)
			.byId("lastJob", lastJob)
			.byId("moreFired", fired)
			.byId("moreMissed", missed)
			.byId("moreSkipped", skipped)
			.ids(steps.keySet())
			.update();
	}

	private static long micros(@Nullable Instant time) {
		LocalDateTime stored = (time != null) ? Utc.of(time) : ScheduleRows.NEVER;
		return Utc.micros(Duration.between(Utc.of(Instant.EPOCH), stored));
	}

	/**
	 * A tick that gets a job.
	 */
	private record Tick(StoredSchedule schedule, Instant at, EnqueuedJob job) {

		static Tick of(StoredSchedule schedule, Instant at) {
			EnqueuedJob job = schedule.definition().job();
			Instant start = at.plus(Jitter.of(schedule.name(), at, schedule.definition().jitter()));
			// One in the past would stand before what claims have passed already.
			Duration delay = Duration.between(schedule.readAt(), start);
			return new Tick(schedule, at,
					new EnqueuedJob(delay.isNegative() ? job.job() : job.job().delay(delay), job.payload(), at));
		}

	}

	/**
	 * What becomes of a schedule.
	 */
	private record Step(StoredSchedule schedule, List<Tick> ticks, long missed, long skipped, @Nullable Instant last,
			@Nullable Instant next) {

		static Step of(StoredSchedule schedule, TickPlan plan, boolean busy, Set<Instant> firedBefore) {
			List<Instant> fresh = plan.ticks().fire().stream().filter((tick) -> !firedBefore.contains(tick)).toList();
			Instant first = schedule.times().next();
			long known = firedBefore.stream()
				.filter((tick) -> first != null && !tick.isBefore(first) && !plan.ticks().fire().contains(tick))
				.count();
			long missed = Math.max(0, plan.ticks().missed() - known);
			Instant last = (busy || fresh.isEmpty()) ? schedule.times().last() : fresh.get(fresh.size() - 1);
			return new Step(schedule, busy ? List.of() : fresh.stream().map((tick) -> Tick.of(schedule, tick)).toList(),
					missed, busy ? fresh.size() : 0, last, plan.ticks().next());
		}

	}

}
