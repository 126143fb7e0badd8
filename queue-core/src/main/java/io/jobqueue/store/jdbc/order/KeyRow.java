package io.jobqueue.store.jdbc.order;

import java.sql.ResultSet;
import java.sql.SQLException;

import io.jobqueue.database.Dialect;
import org.jspecify.annotations.Nullable;

/**
 * The row of an order key, and the first place of those that wait.
 *
 * @param key the key
 * @param head the job that may run, or that has ended; 0 for none
 * @param from no job with a lower id waits
 * @param state what the key is
 * @param until up to which job those that wait follow a dead one
 * @param next the first job that waits; null if none does
 */
record KeyRow(String key, long head, long from, State state, long until, @Nullable Long next) {

	static KeyRow read(ResultSet row, Dialect dialect) throws SQLException {
		long value = row.getLong("next_id");
		Long next = row.wasNull() ? null : value;
		return new KeyRow(dialect.name(row.getString("order_key")), row.getLong("head_id"), row.getLong("from_id"),
				State.of(row.getInt("state")), row.getLong("until_id"), next);
	}

	/** The same, and jobs may wait from that one on. */
	KeyRow from(long job) {
		return new KeyRow(this.key, this.head, job, this.state, this.until, this.next);
	}

	/** A job of it may run, the first that waited. */
	KeyRow withHead(long job) {
		return new KeyRow(this.key, job, job + 1, State.OPEN, 0, null);
	}

	/** None of its jobs may run, since none waits. */
	KeyRow withoutHead() {
		return new KeyRow(this.key, 0, this.from, State.OPEN, 0, null);
	}

	KeyRow blocked() {
		return new KeyRow(this.key, this.head, this.from, State.BLOCKED, 0, this.next);
	}

	KeyRow open() {
		return new KeyRow(this.key, this.head, this.from, State.OPEN, 0, this.next);
	}

	/** Those that wait follow the head, up to a job. */
	KeyRow parkedUntil(long job) {
		return new KeyRow(this.key, this.head, this.from, State.PARKED, job, this.next);
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
