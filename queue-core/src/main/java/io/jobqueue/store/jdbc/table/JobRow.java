package io.jobqueue.store.jdbc.table;

import java.sql.ResultSet;
import java.sql.SQLException;

import io.jobqueue.Job;
import io.jobqueue.JobError;
import io.jobqueue.JobState;
import io.jobqueue.WaitReason;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;

import org.jspecify.annotations.Nullable;

/**
 * What is read of a job's row, and what it says.
 */
public final class JobRow {

	/** Of both tables, of live jobs and of archived ones. */
	public static final String COLUMNS = """
			id, state, queue, type, priority, {readable available_at} AS available_at, attempt, crashes,
			CASE WHEN max_attempts > 0 THEN max_attempts
			    ELSE COALESCE((SELECT t.max_attempts FROM jobqueue_type t WHERE t.name = type), 0) END AS max_attempts,
			{readable claimed_at} AS claimed_at, {readable enqueued_at} AS enqueued_at, {readable scheduled_for} AS scheduled_for, order_key, limit_key, trace,
			(SELECT t.limit_name FROM jobqueue_type t WHERE t.name = type) AS limit_name,
			CASE WHEN available_at <= {now} THEN 1 ELSE 0 END AS is_due, large_payload""";

	private JobRow() {
	}

	public static Job job(ResultSet row) throws SQLException {
		return new Job(row.getLong("id"), row.getString("type"), row.getString("queue"),
				StateCode.toState(row.getInt("state")), row.getInt("priority"), row.getInt("attempt"),
				row.getInt("max_attempts"), row.getInt("crashes"), row.getString("payload"),
				Utc.instant(row, "enqueued_at"), Utc.instant(row, "available_at"), Utc.instantOrNull(row, "claimed_at"),
				Utc.instantOrNull(row, "finished_at"), errorOrNull(row), Utc.instantOrNull(row, "scheduled_for"),
				row.getString("order_key"), row.getString("limit_key"), row.getString("trace"), waitReasonOrNull(row));
	}

	private static @Nullable WaitReason waitReasonOrNull(ResultSet row) throws SQLException {
		String limit = row.getString("limit_name");
		int state = row.getInt("state");
		boolean isDue = StateCode.toState(state) == JobState.READY && row.getInt("is_due") == 1;
		if (state == StateCode.LIMITED || (isDue && limit != null && !limit.isEmpty())) {
			return new WaitReason(WaitReason.Kind.LIMIT, (limit != null) ? limit : "", null);
		}
		String key = row.getString("order_key");
		if (state != StateCode.WAITING || key == null) {
			return null;
		}
		long head = row.getLong("head_id");
		return new WaitReason((row.getInt("key_state") == 1) ? WaitReason.Kind.BLOCKED : WaitReason.Kind.ORDER, key,
				(head != 0) ? head : null);
	}

	private static @Nullable JobError errorOrNull(ResultSet row) throws SQLException {
		return (row.getString("error_type") != null) ? error(row) : null;
	}

	public static JobError error(ResultSet row) throws SQLException {
		return new JobError(row.getInt("error_attempt"), Utc.instant(row, "failed_at"), row.getString("error_type"),
				row.getString("message"), row.getString("stack_trace"));
	}

}
