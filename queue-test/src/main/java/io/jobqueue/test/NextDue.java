package io.jobqueue.test;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.jobqueue.database.Database;
import org.jspecify.annotations.Nullable;

/**
 * When jobs that wait for their time are due.
 */
final class NextDue {

	private static final String SELECT = """
			SELECT MIN(TIMESTAMPDIFF(MICROSECOND, {now}, j.available_at))
			FROM jobqueue_job j
			LEFT JOIN jobqueue_queue q ON q.name = j.queue
			WHERE j.state IN ({notRunning}) AND j.available_at > {now} AND j.type IN (:types)
			  AND COALESCE(q.paused, 0) = 0""";

	private static final String SELECT_LIMITED = """
			SELECT MIN(TIMESTAMPDIFF(MICROSECOND, {now}, look_at)) FROM jobqueue_allowance WHERE look_at > {now} AND look_at < '9999-01-01'""";

	private NextDue() {
	}

	/**
	 * Looks for the next of them.
	 * @param database the database
	 * @param types the types to look for
	 * @return how long until then; null if none waits for its time
	 */
	static @Nullable Duration of(Database database, List<String> types) {
		if (types.isEmpty()) {
			return null;
		}
		Long job = database.sql(SELECT).param("types", types).query(Long.class).optional().orElse(null);
		Long limited = database.sql(SELECT_LIMITED).query(Long.class).optional().orElse(null);
		Long first = (job != null && (limited == null || job < limited)) ? job : limited;
		return (first != null) ? Duration.of(first, ChronoUnit.MICROS) : null;
	}

}
