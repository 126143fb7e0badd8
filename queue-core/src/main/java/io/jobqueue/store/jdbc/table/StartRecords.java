package io.jobqueue.store.jdbc.table;

import java.util.Map;

import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;

/**
 * The start records of jobs of row-lock queues.
 */
public final class StartRecords {

	private static final String DELETE = """
			DELETE FROM jobqueue_start WHERE job_id = :id AND fence = :fence AND session_id = :session""";

	private static final String OF_SESSION = """
			SELECT job_id, fence, freed FROM jobqueue_start WHERE session_id = :session""";

	private static final String LEAVE = """
			UPDATE jobqueue_start SET session_id = 0, deadline_at = {now}
			WHERE job_id = :id AND fence = :fence AND session_id = :session AND freed = 0""";

	/**
	 * The session of what workers left running that have stopped in order. None has this
	 * number.
	 */
	public static final long LEFT_RUNNING = 0;

	private final Database database;

	public StartRecords(Database database) {
		this.database = database;
	}

	/**
	 * Deletes the record of a claim.
	 * @param claim the claim that the job would have
	 * @return whether there was one
	 */
	public boolean delete(Claim claim) {
		return update(DELETE, claim);
	}

	/**
	 * Lets go of all records of a session that ends in order. What was freed under
	 * suspicion of a crash is an outage for good. What still runs keeps its record,
	 * without the session: its loss will not be a crash.
	 * @param session the session
	 */
	public void leave(long session) {
		// By their keys, so as not to wait for other sessions' records.
		this.database.sql(OF_SESSION)
			.param("session", session)
			.query((row, number) -> Map.entry(new Claim(row.getLong("job_id"), row.getLong("fence"), session),
					row.getInt("freed") == 1))
			.list()
			.forEach((record) -> update(record.getValue() ? DELETE : LEAVE, record.getKey()));
	}

	private boolean update(String statement, Claim claim) {
		return this.database.numbers(statement)
			.param("id", claim.id())
			.param("fence", claim.fence())
			.param("session", claim.session())
			.update() == 1;
	}

}
