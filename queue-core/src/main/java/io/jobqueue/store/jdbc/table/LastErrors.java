package io.jobqueue.store.jdbc.table;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Failure;

/**
 * Reads of what jobs have failed last.
 */
public final class LastErrors {

	private static final String SELECT = """
			SELECT e.job_id, e.attempt, e.error_type, e.message, e.stack_trace
			FROM jobqueue_error e{byPrimary}
			WHERE e.job_id IN (:ids)
			    AND e.fence = (SELECT MAX(last.fence) FROM jobqueue_error last WHERE last.job_id = e.job_id)""";

	/** Stands for what nobody has kept. */
	public static final Failure UNKNOWN = Failure.of(0, "unknown", "");

	private final Database database;

	/**
	 * Creates the statement.
	 * @param database the database, with the queue's tables in it
	 */
	public LastErrors(Database database) {
		this.database = database;
	}

	/**
	 * Reads the last error of each job.
	 * @param jobs the jobs' ids
	 * @return the errors by job; none of a job without one
	 */
	public Map<Long, Failure> of(List<Long> jobs) {
		Map<Long, Failure> errors = new HashMap<>();
		for (List<Long> chunk : Chunks.of(jobs)) {
			this.database.numbers(SELECT)
				.ids(chunk)
				.query((row, number) -> errors.put(row.getLong("job_id"),
						new Failure(row.getInt("attempt"), Objects.requireNonNull(row.getString("error_type")),
								row.getString("message"), row.getString("stack_trace"))));
		}
		return errors;
	}

}
