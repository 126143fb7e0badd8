package io.jobqueue.store.jdbc.order;

import java.sql.ResultSet;
import java.sql.SQLException;

import io.jobqueue.database.Dialect;

/**
 * The place of a job in the order of its key.
 *
 * @param key the key
 * @param job the job's id
 */
record Place(String key, long job) {

	static Place read(ResultSet row, Dialect dialect) throws SQLException {
		return new Place(dialect.name(row.getString("order_key")), row.getLong("job_id"));
	}

}
