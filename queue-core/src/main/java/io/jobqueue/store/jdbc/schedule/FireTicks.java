package io.jobqueue.store.jdbc.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.jobqueue.Overlap;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
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

	private static final String LOCK = ScheduleRows.SELECT + "{byPrimary} WHERE id IN (:ids) {lockOrWait}";

	/** Another job may have got the id, after the table was truncated. */
	private static final String LIVE = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND scheduled_for IS NOT NULL""";

	private static final String GO_ON = """
			UPDATE jobqueue_schedule{byPrimary}
			SET next_at = TIMESTAMPADD(MICROSECOND, :nextTick, TIMESTAMP '1970-01-01 00:00:00'),
			    due_at = TIMESTAMPADD(MICROSECOND, :nextTick, TIMESTAMP '1970-01-01 00:00:00'),
			    last_at = TIMESTAMPADD(MICROSECOND, :lastTick, TIMESTAMP '1970-01-01 00:00:00'),
			    last_job_id = :lastJob, fired = fired + :moreFired, missed = missed + :moreMissed,
			    skipped = skipped + :moreSkipped, failures = 0, problem = ''
			WHERE id IN (:ids)""";

	private final Database database;

	private final EnqueueInTransaction enqueue;

	private final TickRows ticks;

	FireTicks(Database database, EnqueueInTransaction enqueue) {
		this.database = database;
		this.enqueue = enqueue;
		this.ticks = new TickRows(database);
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
			.filter((now) -> ScheduleRows.isUnchanged(plan(byId, now).schedule(), now) && !now.flags().orphaned()
					&& !now.flags().paused())
			.toList();
		if (locked.isEmpty()) {
			return new Fired(0, List.of());
		}
		Set<Long> busy = withLiveJob(locked);
		Map<Long, Set<Instant>> before = this.ticks.fired(locked.stream().map((one) -> plan(byId, one)).toList());
		Map<Long, Step> steps = new HashMap<>();
		for (StoredSchedule schedule : locked) {
			TickPlan plan = plan(byId, schedule);
			Set<Instant> firedBefore = before.getOrDefault(schedule.id(), Set.of());
			steps.put(schedule.id(), Step.of(schedule, plan, busy.contains(schedule.id()), firedBefore,
					this.ticks.missed(plan, firedBefore)));
		}
		List<TickRows.Tick> ticks = steps.values().stream().flatMap((step) -> step.ticks().stream()).toList();
		List<EnqueuedJob> jobs = ticks.stream().map(TickRows.Tick::job).toList();
		List<Long> ids = this.enqueue.enqueueInOwn(jobs).ids();
		this.ticks.store(ticks, ids);
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
			.filter((one) -> one.understood().overlap() == Overlap.SKIP && one.counts().lastJobId() != 0)
			.toList();
		if (single.isEmpty()) {
			return Set.of();
		}
		Set<Long> live = live(single.stream().map((one) -> one.counts().lastJobId()).toList());
		return single.stream()
			.filter((one) -> live.contains(one.counts().lastJobId()))
			.map(StoredSchedule::id)
			.collect(Collectors.toSet());
	}

	/**
	 * Whether the last job of a schedule is live.
	 */
	boolean hasLiveJob(StoredSchedule schedule) {
		long job = schedule.counts().lastJobId();
		return job != 0 && !live(List.of(job)).isEmpty();
	}

	private Set<Long> live(List<Long> jobs) {
		return Set.copyOf(this.database.numbers(LIVE).ids(jobs).query((row, number) -> row.getLong(1)));
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
	 * What becomes of a schedule.
	 */
	private record Step(StoredSchedule schedule, List<TickRows.Tick> ticks, long missed, long skipped,
			@Nullable Instant last, @Nullable Instant next) {

		static Step of(StoredSchedule schedule, TickPlan plan, boolean busy, Set<Instant> firedBefore, long missed) {
			List<Instant> fresh = plan.ticks().fire().stream().filter((tick) -> !firedBefore.contains(tick)).toList();
			Instant last = (busy || fresh.isEmpty()) ? schedule.times().last() : fresh.get(fresh.size() - 1);
			return new Step(schedule,
					busy ? List.of() : fresh.stream().map((tick) -> TickRows.Tick.of(schedule, tick)).toList(), missed,
					busy ? fresh.size() : 0, last, plan.ticks().next());
		}

	}

}
