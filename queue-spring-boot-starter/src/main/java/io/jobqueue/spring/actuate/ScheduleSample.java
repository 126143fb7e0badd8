package io.jobqueue.spring.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.ScheduleStatus;
import io.jobqueue.store.ScheduleStore.Summary;
import io.jobqueue.store.ScheduleStore;
import io.jobqueue.store.StoredSchedule;

/**
 * How the recurring jobs were at some moment.
 *
 * @param summary all of them together
 * @param first the first hundred, by name
 * @param wrong those that do not tick though they are not paused, by name: they fail, are
 * orphaned or overdue for a minute; at most twenty
 */
public record ScheduleSample(Summary summary, List<ScheduleStatus> first, List<ScheduleStatus> wrong) {

	/** No schedules. */
	public static final ScheduleSample NONE = new ScheduleSample(Summary.NONE, List.of(), List.of());

	private static final int MOST = 100;

	private static final int MOST_WRONG = 20;

	private static final Duration OVERDUE = Duration.ofMinutes(1);

	/**
	 * Measures the schedules.
	 * @param store where they are
	 * @return the sample
	 */
	public static ScheduleSample of(ScheduleStore store) {
		Summary summary = store.summary();
		if (summary.count() == 0) {
			return NONE;
		}
		List<ScheduleStatus> first = page(store, "");
		boolean isAnyWrong = summary.failing() > 0 || summary.orphaned() > 0
				|| summary.overdue().compareTo(OVERDUE) > 0;
		return new ScheduleSample(summary, first, isAnyWrong ? wrong(store, first) : List.of());
	}

	private static List<ScheduleStatus> page(ScheduleStore store, String after) {
		return store.list(after, MOST).stream().map(StoredSchedule::status).toList();
	}

	private static List<ScheduleStatus> wrong(ScheduleStore store, List<ScheduleStatus> first) {
		List<ScheduleStatus> wrong = new ArrayList<>();
		List<ScheduleStatus> page = first;
		while (!page.isEmpty() && wrong.size() < MOST_WRONG) {
			page.stream().filter(ScheduleSample::isWrong).limit(MOST_WRONG - wrong.size()).forEach(wrong::add);
			page = (page.size() == MOST) ? page(store, page.get(MOST - 1).name()) : List.of();
		}
		return wrong;
	}

	private static boolean isWrong(ScheduleStatus one) {
		return !one.paused() && (one.problem() != null || one.orphaned() || one.overdue().compareTo(OVERDUE) > 0);
	}

}
