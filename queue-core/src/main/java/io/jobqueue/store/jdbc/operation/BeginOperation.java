package io.jobqueue.store.jdbc.operation;

import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

import io.jobqueue.JobCount;
import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.Operation;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;

import org.springframework.jdbc.support.GeneratedKeyHolder;

/**
 * Begins an operation: from now on it is known which jobs are concerned.
 */
final class BeginOperation {

	private static final String BEGIN = """
			INSERT INTO jobqueue_operation (action, job_state, queue, type, order_key, limit_key, cause_id, from_at,
			    until_at, last_id, expected, expected_more, actor, started_at)
			SELECT :action, :jobState, :queue, :type, :orderKey, :limitKey, :cause, :from,
			    CASE WHEN :ended = 0 OR :until < :end THEN :until ELSE :end END,
			    (SELECT COALESCE(MAX(j.id), 0) FROM jobqueue_job j), :expected, :more, :actor, {now}
			FROM (SELECT 1 AS one) once""";

	/**
	 * The end of what has ended by now. The server's clock may have gone back since the
	 * last one.
	 */
	private static final String END = """
			SELECT {now} AS now_utc,
			    (SELECT MAX(finished_at) FROM jobqueue_archive{byFinished} WHERE state = :jobState) AS last_utc
			FROM (SELECT 1 AS one) once""";

	private final Database database;

	BeginOperation(Database database) {
		this.database = database;
	}

	long begin(Operation.Action action, JobFilter filter, JobCount expected, String actor) {
		JobState state = Objects.requireNonNull(filter.state());
		return this.database.transactions().run(() -> {
			LocalDateTime end = state.isLive() ? null : end(state);
			if (end != null && filter.from() != null && !Utc.of(filter.from()).isBefore(end)) {
				throw new IllegalArgumentException("No job has ended after " + filter.from() + " yet");
			}
			GeneratedKeyHolder key = new GeneratedKeyHolder();
			this.database.sql(BEGIN)
				.param("action", action.ordinal())
				.param("jobState", StateCode.of(state))
				.param("queue", filter.queue())
				.param("type", filter.type())
				.param("orderKey", filter.orderKey())
				.param("limitKey", filter.limitKey())
				.param("cause", filter.cause())
				.param("from", (filter.from() != null) ? Utc.of(filter.from()) : null)
				.param("until", (filter.until() != null) ? Utc.of(filter.until()) : null)
				.param("ended", state.isLive() ? 0 : 1)
				.param("end", end)
				.param("expected", expected.jobs())
				.param("more", expected.more() ? 1 : 0)
				.param("actor", actor)
				.update(key, "id");
			return Objects.requireNonNull(key.getKey()).longValue();
		});
	}

	private LocalDateTime end(JobState state) {
		return this.database.sql(END).param("jobState", StateCode.of(state)).query((row, number) -> {
			LocalDateTime now = row.getObject("now_utc", LocalDateTime.class);
			LocalDateTime last = row.getObject("last_utc", LocalDateTime.class);
			return (last != null && !last.isBefore(now)) ? last.plus(1, ChronoUnit.MICROS) : now;
		}).single();
	}

}
