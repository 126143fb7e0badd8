package io.jobqueue.spring.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;

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
 */
public record QueueSample(@Nullable Instant takenAt, List<Queues.Depth> depths, @Nullable Instant archivedAt,
		Map<JobState, Long> archived, Map<String, Queues.TableSize> tables, ScheduleSample schedules, KeySample keys) {

	static final QueueSample NONE = new QueueSample(null, List.of(), null, Map.of(), Map.of(), ScheduleSample.NONE,
			KeySample.NONE);

	QueueSample withDepths(Instant takenAt, List<Queues.Depth> depths) {
		return new QueueSample(takenAt, depths, this.archivedAt, this.archived, this.tables, this.schedules, this.keys);
	}

	QueueSample withArchived(Instant archivedAt, Map<JobState, Long> archived) {
		return new QueueSample(this.takenAt, this.depths, archivedAt, archived, this.tables, this.schedules, this.keys);
	}

	QueueSample withTables(Map<String, Queues.TableSize> tables) {
		return new QueueSample(this.takenAt, this.depths, this.archivedAt, this.archived, tables, this.schedules,
				this.keys);
	}

	QueueSample withSchedules(ScheduleSample schedules) {
		return new QueueSample(this.takenAt, this.depths, this.archivedAt, this.archived, this.tables, schedules,
				this.keys);
	}

	QueueSample withKeys(KeySample keys) {
		return new QueueSample(this.takenAt, this.depths, this.archivedAt, this.archived, this.tables, this.schedules,
				keys);
	}

}
