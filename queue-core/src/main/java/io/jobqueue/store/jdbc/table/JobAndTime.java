package io.jobqueue.store.jdbc.table;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.List;

import io.jobqueue.store.MaintenanceStore.Batch;

/**
 * A job and the time by which a round of maintenance is ordered.
 *
 * @param id the job's id
 * @param time when it expired or finished, in UTC
 */
public record JobAndTime(long id, LocalDateTime time) {

	public static JobAndTime of(ResultSet row, String timeColumn) throws SQLException {
		return new JobAndTime(row.getLong("id"), row.getObject(timeColumn, LocalDateTime.class));
	}

	/**
	 * The ids in their own order, in which rows are locked.
	 */
	public static List<Long> ids(List<JobAndTime> jobs) {
		return jobs.stream().map(JobAndTime::id).sorted().toList();
	}

	/**
	 * What a batch that has changed these jobs has done. The next one goes on from the
	 * last one's time, which others may share.
	 */
	public static Batch<LocalDateTime> batch(List<JobAndTime> changed, int limit) {
		boolean more = changed.size() == limit && limit > 0;
		return new Batch<>(changed.size(), more ? changed.get(changed.size() - 1).time() : null);
	}

}
