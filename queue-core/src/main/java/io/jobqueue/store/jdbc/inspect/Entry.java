package io.jobqueue.store.jdbc.inspect;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;

import io.jobqueue.Job;
import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.database.Dialect;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;

import org.jspecify.annotations.Nullable;

/**
 * A job as it stands in a list, with what filters look at.
 *
 * @param place where it stands
 * @param state its state
 * @param queue its queue
 * @param type its type
 * @param orderKey its order key, or null
 * @param limitKey its limit key, or null
 * @param time when it was enqueued, or has ended in a list by time
 */
record Entry(Place place, JobState state, String queue, String type, @Nullable String orderKey,
		@Nullable String limitKey, Instant time) {

	/** What is read for an entry, but for its time. */
	static final String COLUMNS = "id, state, queue, type, order_key, limit_key";

	/**
	 * Of live jobs that a statement finds. Jobs of row-lock queues look ready while they
	 * run; their start records know better.
	 */
	private static final String LIVE = """
			SELECT j.id, CASE WHEN s.job_id IS NULL THEN j.state ELSE 1 END AS state, j.queue, j.type, j.order_key,
			    j.limit_key, {readable j.enqueued_at} AS entry_at
			FROM (SELECT id, state, queue, type, order_key, limit_key, enqueued_at, fence
			      FROM jobqueue_job{byPrimary}
			      %s) j
			LEFT JOIN jobqueue_start s ON s.job_id = j.id AND s.fence - 1 = j.fence AND s.freed = 0 AND j.state = 0""";

	/**
	 * A statement that reads live jobs.
	 * @param which the end of it, from WHERE on
	 */
	static String live(String which) {
		return LIVE.formatted(which);
	}

	static Entry read(ResultSet row, Dialect dialect, boolean byTime) throws SQLException {
		Instant time = Utc.instant(row, "entry_at");
		return new Entry(new Place(byTime ? Utc.of(time) : null, row.getLong("id")),
				StateCode.toState(row.getInt("state")), dialect.name(row.getString("queue")),
				dialect.name(row.getString("type")), row.getString("order_key"), row.getString("limit_key"), time);
	}

	/**
	 * A job that was read as a whole, in a list by id.
	 */
	static Entry of(Job job) {
		return new Entry(new Place(null, job.id()), job.state(), job.queue(), job.type(), job.orderKey(),
				job.limitKey(), job.enqueuedAt());
	}

	boolean matches(JobFilter filter) {
		return (filter.state() == null || filter.state() == this.state)
				&& (filter.queue() == null || filter.queue().equals(this.queue))
				&& (filter.type() == null || filter.type().equals(this.type))
				&& (filter.orderKey() == null || Objects.equals(filter.orderKey(), this.orderKey))
				&& (filter.limitKey() == null || Objects.equals(filter.limitKey(), this.limitKey))
				&& (filter.from() == null || !this.time.isBefore(filter.from()))
				&& (filter.until() == null || this.time.isBefore(filter.until()));
	}

}
