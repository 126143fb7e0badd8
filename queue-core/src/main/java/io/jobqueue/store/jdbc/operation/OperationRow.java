package io.jobqueue.store.jdbc.operation;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;

import io.jobqueue.JobCount;
import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.Operation;
import io.jobqueue.Operation.Action;
import io.jobqueue.Operation.State;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;

import org.jspecify.annotations.Nullable;

/**
 * An operation as its row says, and how far it is.
 *
 * @param operation the operation
 * @param flaw what is wrong with the row, which another program has written; null for
 * nothing. Then nothing is done: it might be done to other jobs than are meant
 * @param lastId the highest id that it is concerned with
 * @param position where it is; empty for the start
 * @param passes how often it has gone through the jobs
 * @param locked how many were locked by others in this pass
 * @param failed how many could not be changed
 */
record OperationRow(Operation operation, @Nullable String flaw, long lastId, String position, int passes, long locked,
		long failed) {

	static OperationRow read(ResultSet row) throws SQLException {
		JobState jobState = StateCode.toState(row.getInt("job_state"));
		JobFilter filter = JobFilter.of(jobState);
		String flaw = null;
		try {
			filter = filter(row, jobState);
		}
		catch (IllegalArgumentException ex) {
			flaw = ex.getMessage();
		}
		Optional<Action> action = of(Action.values(), row.getInt("action"));
		if (flaw == null && !fits(action.orElse(null), jobState)) {
			flaw = "action is " + row.getInt("action") + ", job_state is " + row.getInt("job_state");
		}
		Operation operation = new Operation(row.getLong("id"), action.orElse(Action.REDRIVE), filter,
				of(State.values(), row.getInt("state")).orElse(State.STOPPED),
				new JobCount(row.getLong("expected"), row.getInt("expected_more") == 1), row.getLong("changed"),
				row.getString("actor"), Utc.instant(row, "started_utc"), Utc.instantOrNull(row, "ended_utc"),
				row.getString("problem"));
		return new OperationRow(operation, flaw, row.getLong("last_id"), row.getString("position"),
				row.getInt("passes"), row.getLong("locked"), row.getLong("failed"));
	}

	private static JobFilter filter(ResultSet row, JobState jobState) throws SQLException {
		long cause = row.getLong("cause_id");
		Long causeOrNull = row.wasNull() ? null : cause;
		return new JobFilter(jobState, row.getString("queue"), row.getString("type"), row.getString("order_key"),
				row.getString("limit_key"), causeOrNull, Utc.instantOrNull(row, "from_utc"),
				Utc.instantOrNull(row, "until_utc"));
	}

	private static boolean fits(@Nullable Action action, JobState jobState) {
		return (action == Action.REDRIVE) ? jobState == JobState.DEAD : action == Action.CANCEL && jobState.isLive();
	}

	private static <E extends Enum<E>> Optional<E> of(E[] all, int ordinal) {
		return Arrays.stream(all).filter((one) -> one.ordinal() == ordinal).findAny();
	}

}
