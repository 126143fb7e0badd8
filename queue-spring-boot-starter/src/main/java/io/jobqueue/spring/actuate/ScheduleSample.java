package io.jobqueue.spring.actuate;

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
 */
public record ScheduleSample(Summary summary, List<ScheduleStatus> first) {

	/** No schedules. */
	public static final ScheduleSample NONE = new ScheduleSample(Summary.NONE, List.of());

	private static final int MOST = 100;

	/**
	 * Measures the schedules.
	 * @param store where they are
	 * @return the sample
	 */
	public static ScheduleSample of(ScheduleStore store) {
		Summary summary = store.summary();
		return (summary.count() == 0) ? NONE
				: new ScheduleSample(summary, store.list("", MOST).stream().map(StoredSchedule::status).toList());
	}

}
