package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongSupplier;

import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.QueueListener;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.ScheduleStore;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.StoredSchedule;
import io.jobqueue.store.TickPlan;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues the jobs of schedules whose ticks are due. Every node does it; a tick that two
 * have seen is done once. Looks at the database when the next schedule is due, and every
 * few seconds for what other nodes have saved.
 */
public final class FireSchedules implements Chore, QueueListener {

	private static final Logger log = LoggerFactory.getLogger(FireSchedules.class);

	/** How late a tick is at most because nobody looked. */
	private static final Duration INTERVAL = Duration.ofMillis(100);

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

	private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

	/** What this node declares is to be known before. */
	private static final Duration FIRST_LOOK = Duration.ofSeconds(1);

	private static final int READ = 2_000;

	private static final int CHUNK = 200;

	/** How many jobs one transaction inserts at most, unless one schedule has more. */
	private static final int MOST_TICKS = 1_000;

	private static final Duration FIRST_RETRY = Duration.ofSeconds(10);

	private static final int MOST_DOUBLINGS = 6;

	private static final int LONGEST_PROBLEM = 1_000;

	/** Another node may understand what this one does not, as a newer time zone. */
	private static final Duration OTHERS_FIRST = Duration.ofMinutes(1);

	private final ScheduleStore store;

	private final QueueListeners listeners;

	private final LongSupplier nanoTime;

	private final TicksAhead ahead;

	private volatile long nextLook;

	/** Whether something was saved on this node since the last look. */
	private volatile boolean changed;

	/**
	 * Creates the chore.
	 * @param store the schedules
	 * @param listeners who is told of jobs that were enqueued
	 * @param nanoTime the monotonic clock
	 */
	public FireSchedules(ScheduleStore store, QueueListeners listeners, LongSupplier nanoTime) {
		this.store = store;
		this.listeners = listeners;
		this.nanoTime = nanoTime;
		this.ahead = new TicksAhead(store);
		this.nextLook = nanoTime.getAsLong() + FIRST_LOOK.toNanos();
	}

	@Override
	public String name() {
		return "fire schedules";
	}

	@Override
	public Duration interval() {
		return INTERVAL;
	}

	@Override
	public boolean atStart() {
		return true;
	}

	@Override
	public void schedulesChanged() {
		this.changed = true;
	}

	@Override
	public int runOnce() {
		if (this.nanoTime.getAsLong() - this.nextLook < 0 && !this.changed) {
			return 0;
		}
		int fired = 0;
		boolean goOn = true;
		while (goOn && !Thread.currentThread().isInterrupted()) {
			this.changed = false;
			lookAgainAfter(AFTER_FAILURE);
			ScheduleStore.Due due = this.store.due(READ);
			long lookedAt = this.nanoTime.getAsLong();
			int now = fire(due.schedules());
			fired += now;
			goOn = now > 0;
			this.ahead.check(due.now(), lookedAt);
			lookAgainAfter(untilNext(due));
		}
		return fired;
	}

	private void lookAgainAfter(Duration time) {
		this.nextLook = this.nanoTime.getAsLong() + time.toNanos();
	}

	/**
	 * What is due and was left is what another node has locked, or what has just failed.
	 */
	private static Duration untilNext(ScheduleStore.Due due) {
		Instant next = due.next();
		Duration wait = (next != null) ? Duration.between(due.now(), next) : LONGEST_WAIT;
		return wait.isNegative() ? INTERVAL : (wait.compareTo(LONGEST_WAIT) > 0) ? LONGEST_WAIT : wait;
	}

	/**
	 * In parts whose order is another one on each node, so that nodes do not wait for the
	 * same. Each part is planned when it comes, since that may take time.
	 */
	private int fire(List<StoredSchedule> due) {
		List<StoredSchedule> active = due.stream().filter((one) -> !rests(one)).toList();
		List<List<StoredSchedule>> parts = new ArrayList<>();
		for (int start = 0; start < active.size(); start += CHUNK) {
			parts.add(active.subList(start, Math.min(active.size(), start + CHUNK)));
		}
		Collections.shuffle(parts);
		int fired = parts.stream().mapToInt(this::firePart).sum();
		due.stream().filter(FireSchedules::rests).forEach(this::rest);
		return fired;
	}

	private static boolean rests(StoredSchedule schedule) {
		return schedule.flags().orphaned() || schedule.flags().paused();
	}

	private int firePart(List<StoredSchedule> part) {
		int fired = 0;
		int ticks = 0;
		List<TickPlan> plans = new ArrayList<>();
		for (StoredSchedule schedule : part) {
			TickPlan plan = planOrNull(schedule);
			if (plan != null) {
				int more = plan.ticks().fire().size();
				if (!plans.isEmpty() && ticks + more > MOST_TICKS) {
					fired += fireTogether(List.copyOf(plans));
					plans.clear();
					ticks = 0;
				}
				plans.add(plan);
				ticks += more;
			}
		}
		return plans.isEmpty() ? fired : fired + fireTogether(plans);
	}

	private void rest(StoredSchedule schedule) {
		if (this.store.rest(schedule) && schedule.flags().orphaned()) {
			log.warn("No running node declares the schedule '{}' any more, so it does not tick. Remove it, or deploy "
					+ "the code that declares it", schedule.name());
		}
	}

	/**
	 * Another program, or another version of Java's time zones, may have left what cannot
	 * be understood.
	 */
	private @Nullable TickPlan planOrNull(StoredSchedule schedule) {
		try {
			return TickPlan.of(schedule);
		}
		catch (RuntimeException ex) {
			Instant next = schedule.times().next();
			if (next == null || schedule.readAt().isAfter(next.plus(OTHERS_FIRST))) {
				note(schedule, ex);
			}
			return null;
		}
	}

	/**
	 * If one of them cannot be enqueued, the others must not wait for it: it is found by
	 * halving. So is one whose place in the job table somebody keeps locked.
	 */
	private int fireTogether(List<TickPlan> plans) {
		try {
			ScheduleStore.Fired fired = this.store.fire(plans);
			tell(fired.jobs());
			return fired.schedules();
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isOutage(ex) && !SqlFailure.mayBeTooLarge(ex)) {
				throw ex;
			}
			if (plans.size() == 1) {
				note(plans.get(0).schedule(), ex);
				return 0;
			}
			int half = plans.size() / 2;
			return fireTogether(plans.subList(0, half)) + fireTogether(plans.subList(half, plans.size()));
		}
	}

	private void tell(List<EnqueuedJob> jobs) {
		if (!jobs.isEmpty()) {
			this.listeners.tell((listener) -> listener.enqueued(jobs));
		}
	}

	private void note(StoredSchedule schedule, RuntimeException failure) {
		int failures = schedule.counts().failures();
		Duration retryAfter = FIRST_RETRY.multipliedBy(1L << Math.min(failures, MOST_DOUBLINGS));
		String problem = String.valueOf(failure.getMessage());
		this.store.noteProblem(schedule,
				(problem.length() > LONGEST_PROBLEM) ? problem.substring(0, LONGEST_PROBLEM) : problem, retryAfter);
		if (failures == 0) {
			log.warn("The job of the schedule '{}' could not be enqueued. Its tick waits, and is tried again after {} "
					+ "and then less often: {}", schedule.name(), retryAfter, problem);
		}
		log.debug("The schedule '{}' failed", schedule.name(), failure);
	}

}
