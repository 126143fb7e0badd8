package io.jobqueue.store.jdbc.order;

import java.sql.ResultSet;
import java.sql.SQLException;

import io.jobqueue.database.Dialect;

/**
 * The row of an order key.
 *
 * @param key the key
 * @param head the job that may run, or that has ended; 0 for none
 * @param from no job with a lower id waits
 * @param state what the key is
 * @param until up to which job those that wait follow a dead one
 */
record KeyRow(String key, long head, long from, State state, long until) {

	static KeyRow read(ResultSet row, Dialect dialect) throws SQLException {
		return new KeyRow(dialect.name(row.getString("order_key")), row.getLong("head_id"), row.getLong("from_id"),
				State.of(row.getInt("state")), row.getLong("until_id"));
	}

	/** The same, and jobs may wait from that one on. */
	KeyRow from(long job) {
		return new KeyRow(this.key, this.head, job, this.state, this.until);
	}

	/** A job of it may run, the first that waited. */
	KeyRow withHead(long job) {
		return new KeyRow(this.key, job, job + 1, State.OPEN, 0);
	}

	/** None of its jobs may run, since none waits. */
	KeyRow withoutHead() {
		return new KeyRow(this.key, 0, this.from, State.OPEN, 0);
	}

	KeyRow blocked() {
		return new KeyRow(this.key, this.head, this.from, State.BLOCKED, 0);
	}

	KeyRow open() {
		return new KeyRow(this.key, this.head, this.from, State.OPEN, 0);
	}

	/** Those that wait follow the head, up to a job. */
	KeyRow parkedUntil(long job) {
		return new KeyRow(this.key, this.head, this.from, State.PARKED, job);
	}

	/**
	 * What a key is.
	 */
	enum State {

		/** Its jobs run, one after another. */
		OPEN,

		/** Its head is dead, and none runs until somebody decides. */
		BLOCKED,

		/** Its head is dead, and those that wait become so too. */
		PARKED;

		/** What another program has written is open. */
		static State of(int code) {
			return switch (code) {
				case 1 -> BLOCKED;
				case 2 -> PARKED;
				default -> OPEN;
			};
		}

	}

}
