package io.jobqueue.maintenance;

import java.time.Duration;
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
 * have seen is done once. Looks at the database when the next schedule is due. What other
 * nodes have saved it knows by the agenda.
 */
public final class FireSchedules implements Chore, QueueListener {

	private static final Logger log = LoggerFactory.getLogger(FireSchedules.class);

	/** How late a tick is at most because nobody looked. */
	private static final Duration INTERVAL = Duration.ofMillis(100);

	private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

	/** What this node declares is to be known before. */
	private static final Duration FIRST_LOOK = Duration.ofSeconds(1);

	private static final int READ = 2_000;

	private static final int CHUNK = 200;

	/** How many jobs one transaction inserts at most, unless one schedule has more. */
	private static final int MOST_TICKS = 1_000;

	private final ScheduleStore store;

	private final QueueListeners listeners;

	private final LongSupplier nanoTime;

	private final TicksAhead ahead;

	private final TickPlans plans;

	private final SharedAgenda.News agenda;

	/** Used by the chore's thread only. */
	private long notBefore;

	private final NextTick next;

	/** Whether something was saved on this node since the last look. */
	private volatile boolean changed;

	/**
	 * Creates the chore.
	 * @param store the schedules
	 * @param agenda tells when the next schedule is due
	 * @param listeners who is told of jobs that were enqueued
	 * @param nanoTime the monotonic clock
	 */
	public FireSchedules(ScheduleStore store, SharedAgenda.News agenda, QueueListeners listeners,
			LongSupplier nanoTime) {
		this.store = store;
		this.agenda = agenda;
		this.listeners = listeners;
		this.nanoTime = nanoTime;
		this.ahead = new TicksAhead(store);
		this.plans = new TickPlans(store);
		waitFor(FIRST_LOOK);
		this.next = new NextTick(nanoTime);
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
		if (this.nanoTime.getAsLong() - this.notBefore < 0 && !this.changed) {
			return NOT_DUE;
		}
		waitFor(AFTER_FAILURE);
		// What is known to be due does not wait for the agenda.
		int fired = fireIfDue();
		SharedAgenda.Reading news = this.agenda.next().orElse(null);
		if (news != null) {
			this.next.note(news);
			fired += fireIfDue();
			this.ahead.check(news);
		}
		waitFor(Duration.ZERO);
		return fired;
	}

	private int fireIfDue() {
		return (this.changed || this.next.isDue()) ? fireDue() : 0;
	}

	private void waitFor(Duration time) {
		this.notBefore = this.nanoTime.getAsLong() + time.toNanos();
	}

	private int fireDue() {
		int fired = 0;
		boolean goOn = true;
		while (goOn && !Thread.currentThread().isInterrupted()) {
			this.changed = false;
			this.next.look();
			ScheduleStore.Due due = this.store.due(READ);
			int now = fire(due.schedules());
			fired += now;
			goOn = now > 0;
			this.next.note(due);
		}
		return fired;
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
			TickPlan plan = this.plans.planOrNull(schedule);
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
				this.plans.noteProblem(plans.get(0).schedule(), ex);
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

}
