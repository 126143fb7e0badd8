package io.jobqueue.store.jdbc.claim;

import java.util.Optional;

import io.jobqueue.database.Database;
import org.jspecify.annotations.Nullable;

/**
 * Reads payloads that a claim left where they are: those in their own table, and large
 * ones that were put into the job's row by plain SQL.
 */
public final class Payloads {

	private static final String SELECT = """
			SELECT COALESCE(p.payload, j.payload) AS payload
			FROM jobqueue_job j
			LEFT JOIN jobqueue_payload p ON p.job_id = j.id
			WHERE j.id = :id""";

	private final Database database;

	private final Database ofCaller;

	public Payloads(Database database) {
		this.database = database;
		this.ofCaller = database.ofCaller();
	}

	/**
	 * Reads a payload: in the caller's transaction, if there is one, so that no second
	 * connection is needed.
	 */
	public @Nullable String read(long jobId) {
		if (this.database.callers().isInTransaction()) {
			return readOnce(this.ofCaller, jobId);
		}
		String payload = this.database.read(() -> readOnce(this.database, jobId));
		// A replica that lags behind may not have it yet; transactions run where the
		// writes do.
		return (payload != null) ? payload : this.database.transactions().run(() -> readOnce(this.database, jobId));
	}

	private static @Nullable String readOnce(Database database, long jobId) {
		return database.sql(SELECT)
			.param("id", jobId)
			.query((row, number) -> Optional.ofNullable(row.getString("payload")))
			.optional()
			.flatMap((payload) -> payload)
			.orElse(null);
	}

}
