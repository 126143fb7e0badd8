package io.jobqueue.store.jdbc.table;

import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;

/**
 * The start records of jobs of row-lock queues.
 */
public final class StartRecords {

	private static final String DELETE = """
			DELETE FROM jobqueue_start WHERE job_id = :id AND fence = :fence AND session_id = :session""";

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
		return this.database.numbers(DELETE)
			.param("id", claim.id())
			.param("fence", claim.fence())
			.param("session", claim.session())
			.update() == 1;
	}

}
