package io.jobqueue.store.jdbc.order;

import java.sql.ResultSet;
import java.sql.SQLException;

import io.jobqueue.database.Dialect;

/**
 * A job with an order key that has come or ended.
 *
 * @param hasCome whether it has come; else it has ended
 * @param place its key and id
 * @param waited whether it ended while it waited, and so may have left its place
 */
record Change(boolean hasCome, Place place, boolean waited) {

	static Change read(ResultSet row, Dialect dialect) throws SQLException {
		return new Change(row.getInt("kind") == 1, Place.read(row, dialect), row.getInt("waited") == 1);
	}

	String key() {
		return this.place.key();
	}

	long job() {
		return this.place.job();
	}

}
