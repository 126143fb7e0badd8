package io.jobqueue.spring.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.jobqueue.JobState;
import io.jobqueue.store.Queues;

import org.jspecify.annotations.Nullable;

/**
 * How full the queues were at some moment.
 *
 * @param takenAt when the depths were measured, by this machine's clock; null if they
 * have not been yet
 * @param depths each queue
 * @param archivedAt when archived jobs were counted, by the same clock; null if they have
 * not been yet
 * @param archived how many archived jobs there were in each state, measured apart and, if
 * they are many, less often
 * @param tables how large the queue's tables are, about
 * @param schedules the recurring jobs, measured apart
 * @param keys limits and order keys, measured apart
 * @param unmeasured what could not be measured the last time, in words, so that what is
 * here of it is of a time before
 */
public record QueueSample(@Nullable Instant takenAt, List<Queues.Depth> depths, @Nullable Instant archivedAt,
		Map<JobState, Long> archived, Map<String, Queues.TableSize> tables, ScheduleSample schedules, KeySample keys,
		Set<String> unmeasured) {

	static final QueueSample NONE = new QueueSample(null, List.of(), null, Map.of(), Map.of(), ScheduleSample.NONE,
			KeySample.NONE, Set.of());

	QueueSample withDepths(Instant takenAt, List<Queues.Depth> depths) {
		return new QueueSample(takenAt, depths, this.archivedAt, this.archived, this.tables, this.schedules, this.keys,
				this.unmeasured);
	}

	QueueSample withArchived(Instant archivedAt, Map<JobState, Long> archived) {
		return new QueueSample(this.takenAt, this.depths, archivedAt, archived, this.tables, this.schedules, this.keys,
				this.unmeasured);
	}

	QueueSample withTables(Map<String, Queues.TableSize> tables) {
		return new QueueSample(this.takenAt, this.depths, this.archivedAt, this.archived, tables, this.schedules,
				this.keys, this.unmeasured);
	}

	QueueSample withSchedules(ScheduleSample schedules) {
		return new QueueSample(this.takenAt, this.depths, this.archivedAt, this.archived, this.tables, schedules,
				this.keys, this.unmeasured);
	}

	QueueSample withKeys(KeySample keys) {
		return new QueueSample(this.takenAt, this.depths, this.archivedAt, this.archived, this.tables, this.schedules,
				keys, this.unmeasured);
	}

	/**
	 * @param what in words
	 * @param measured whether it could be measured
	 */
	QueueSample with(String what, boolean measured) {
		Set<String> without = this.unmeasured.stream()
			.filter((one) -> !one.equals(what))
			.collect(Collectors.toCollection(TreeSet::new));
		if (!measured) {
			without.add(what);
		}
		return new QueueSample(this.takenAt, this.depths, this.archivedAt, this.archived, this.tables, this.schedules,
				this.keys, Set.copyOf(without));
	}

}
