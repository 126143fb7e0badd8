package io.jobqueue.test;

import java.time.LocalDateTime;

import io.jobqueue.database.Database;

/**
 * The time by the queue's clock.
 */
final class Times {

	private static final String NOW = "SELECT {now} FROM (SELECT 1 AS one) o";

	private Times() {
	}

	/**
	 * Asks for it.
	 * @return the time, in UTC
	 */
	static LocalDateTime now(Database database) {
		return database.sql(NOW).query(LocalDateTime.class).single();
	}

}
