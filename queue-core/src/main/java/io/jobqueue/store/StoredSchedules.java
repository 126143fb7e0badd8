package io.jobqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import io.jobqueue.Schedule;
import io.jobqueue.ScheduleStatus;
import io.jobqueue.Schedules;
import io.jobqueue.schedule.Timing;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schedules on top of their store: checks what is asked for, and tells the node's
 * worker what was committed.
 */
public class StoredSchedules implements Schedules {

	private static final Logger log = LoggerFactory.getLogger(StoredSchedules.class);

	private static final int MOST_PREVIEWED = 1_000;

	private static final int PAGE = 1_000;

	private final ScheduleStore store;

	private final PayloadWriter payloads;

	private final QueueListeners listeners;

	private final Audit audit;

	/**
	 * Creates the schedules.
	 * @param store where they are
	 * @param payloads how payloads are written
	 * @param listeners who is told of what is committed
	 * @param audit where is written what operators do
	 */
	public StoredSchedules(ScheduleStore store, PayloadWriter payloads, QueueListeners listeners, Audit audit) {
		this.store = store;
		this.payloads = payloads;
		this.listeners = listeners;
		this.audit = audit;
	}

	@Override
	public void save(Schedule schedule) {
		this.store.save(ScheduleDefinition.of(schedule, this.payloads)).accept(this::tellOfChange);
	}

	private void tellOfChange() {
		this.listeners.tell(QueueListener::schedulesChanged);
	}

	@Override
	public boolean pause(String name) {
		return logged("paused", name, act("pause", name, this.store::pause));
	}

	private boolean act(String action, String name, Predicate<String> work) {
		String checked = checked(name);
		return this.audit.of(action, "schedule " + checked, () -> work.test(checked), (known) -> known ? 1L : 0L);
	}

	@Override
	public boolean resume(String name) {
		boolean known = act("resume", name, this.store::resume);
		tellOfChange();
		return logged("resumed", name, known);
	}

	@Override
	public Optional<Long> trigger(String name) {
		String checked = checked(name);
		ScheduleStore.Triggered triggered = this.audit
			.of("trigger", "schedule " + checked, () -> this.store.trigger(checked),
					(one) -> (one.isPresent() && one.get().job() != null) ? 1L : 0L)
			.orElseThrow(() -> unknown(name));
		EnqueuedJob job = triggered.job();
		if (job != null) {
			this.listeners.tell((listener) -> listener.enqueued(List.of(job)));
		}
		return Optional.ofNullable(triggered.id());
	}

	@Override
	public boolean remove(String name) {
		return logged("removed", name, act("remove", name, this.store::remove));
	}

	private static boolean logged(String what, String name, boolean known) {
		if (known) {
			log.info("The schedule '{}' was {}", name, what);
		}
		return known;
	}

	@Override
	public List<Instant> preview(String name, int count) {
		if (count < 1 || count > MOST_PREVIEWED) {
			throw new IllegalArgumentException("count must be from 1 to " + MOST_PREVIEWED + ", but is " + count);
		}
		StoredSchedule schedule = this.store.find(checked(name)).orElseThrow(() -> unknown(name));
		Timing timing = schedule.understood().timing();
		Instant next = schedule.times().next();
		if (next != null && schedule.flags().paused()) {
			next = timing.firstAfter(next, schedule.readAt());
		}
		List<Instant> ticks = new ArrayList<>();
		for (@Nullable
		Instant tick = next; tick != null && ticks.size() < count; tick = timing.after(tick)) {
			ticks.add(tick);
		}
		return ticks;
	}

	@Override
	public Optional<ScheduleStatus> find(String name) {
		return this.store.find(checked(name)).map(StoredSchedule::status);
	}

	@Override
	public List<ScheduleStatus> all() {
		List<ScheduleStatus> all = new ArrayList<>();
		List<StoredSchedule> page;
		String after = "";
		do {
			page = this.store.list(after, PAGE);
			page.stream().map(StoredSchedule::status).forEach(all::add);
			after = page.isEmpty() ? after : page.get(page.size() - 1).name();
		}
		while (page.size() == PAGE);
		return all;
	}

	/**
	 * What cannot be a name is none of a schedule, and a mistake of the caller's.
	 */
	private static String checked(String name) {
		return Schedule.every(name, Duration.ofDays(1)).name();
	}

	private static IllegalArgumentException unknown(String name) {
		return new IllegalArgumentException("There is no schedule '" + name + "'");
	}

}
