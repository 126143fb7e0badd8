package io.jobqueue.store.jdbc.table;

import java.util.List;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;

/**
 * What belongs to a job and stands in tables of its own: a large payload, and errors.
 */
public final class Belongings {

	private static final String DELETE_PAYLOADS = """
			{delete jobqueue_payload} WHERE job_id IN (:ids)""";

	private static final String DELETE_ERRORS = """
			{delete jobqueue_error} WHERE job_id IN (:ids)""";

	private final Database database;

	public Belongings(Database database) {
		this.database = database;
	}

	/**
	 * Deletes all that belongs to jobs.
	 */
	public void delete(List<Long> ids) {
		deletePayloads(ids);
		deleteErrors(ids);
	}

	public void deletePayloads(List<Long> ids) {
		Chunks.of(ids).forEach((chunk) -> this.database.numbers(DELETE_PAYLOADS).ids(chunk).update());
	}

	public void deleteErrors(List<Long> ids) {
		Chunks.of(ids).forEach((chunk) -> this.database.numbers(DELETE_ERRORS).ids(chunk).update());
	}

}
