package io.jobqueue.store.jdbc.limit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.LimitKey;

/**
 * Rows that are known by a limit key and a job.
 */
final class KeyedRows {

	private static final String ONE = "(limit_id = ? AND limit_key = ? AND job_id = ?)";

	private KeyedRows() {
	}

	/**
	 * Deletes rows.
	 * @param database where they are
	 * @param delete the statement, up to its conditions
	 * @param rows which ones
	 */
	static void delete(Database database, String delete, Collection<Row> rows) {
		for (List<Row> chunk : Chunks.of(List.copyOf(rows))) {
			List<Object> values = new ArrayList<>(3 * chunk.size());
			chunk.forEach((row) -> values.addAll(List.of(row.key().limitId(), row.key().key(), row.job())));
			database.template()
				.update(database.constant(delete) + ONE + (" OR " + ONE).repeat(chunk.size() - 1), values.toArray());
		}
	}

	/**
	 * What a row is known by.
	 */
	record Row(LimitKey key, long job) {

	}

}
