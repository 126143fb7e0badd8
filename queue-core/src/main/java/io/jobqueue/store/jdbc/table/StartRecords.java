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

	private static final String DELETE_LEFT_RUNNING = DELETE + " AND left_running = 1 AND freed = 0";

	private static final String OF_SESSION = """
			SELECT job_id, fence, freed FROM jobqueue_start WHERE session_id = :session AND (freed = 1 OR left_running = 0)
			{lockFree}""";

	private static final String LEAVE = """
			UPDATE jobqueue_start SET left_running = 1
			WHERE job_id = :id AND fence = :fence AND session_id = :session AND freed = 0""";

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
	 * Deletes the record of a claim whose worker has stopped in order while it ran.
	 * @param claim the claim that the job would have
	 * @return whether there was one
	 */
	public boolean deleteLeftRunning(Claim claim) {
		return update(DELETE_LEFT_RUNNING, claim);
	}

	/**
	 * Lets go of the records of a session that ends in order. What was freed under
	 * suspicion of a crash is an outage for good. What still runs may end, but its loss
	 * will not be a crash. What is being ended, so that its record is locked, is left as
	 * it is.
	 * @param session the session
	 */
	public void leave(long session) {
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
