package io.jobqueue.test;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;

import io.jobqueue.database.Database;
import org.jspecify.annotations.Nullable;

/**
 * When jobs that wait for their time are due. Jobs of ticks are waited for only if they
 * were there before: if one fails each time, its schedule would tick anew before its last
 * retry, and so on for ever.
 */
final class NextDue {

	private static final String LAST = "SELECT COALESCE(MAX(id), 0) FROM jobqueue_job";

	private static final String SELECT = """
			SELECT MIN(TIMESTAMPDIFF(MICROSECOND, {now}, j.available_at))
			FROM jobqueue_job j
			LEFT JOIN jobqueue_queue q ON q.name = j.queue
			WHERE j.state IN ({notRunning}) AND j.available_at > {now} AND j.type IN (:types)
			  AND COALESCE(q.paused, 0) = 0 AND (j.scheduled_for IS NULL OR j.id <= :last)""";

	private static final String SELECT_LIMITED = """
			SELECT MIN(TIMESTAMPDIFF(MICROSECOND, {now}, a.look_at))
			FROM jobqueue_allowance a
			JOIN jobqueue_limit l ON l.id = a.limit_id
			JOIN jobqueue_type t ON t.limit_name = l.name
			WHERE a.look_at > {now} AND a.look_at < '9999-01-01' AND t.name IN (:types)""";

	private final Database database;

	private final Served served;

	private long last;

	/**
	 * Describes what to look for.
	 * @param database the database
	 * @param served which jobs
	 */
	NextDue(Database database, Served served) {
		this.database = database;
		this.served = served;
	}

	/**
	 * Notes which jobs are there.
	 */
	void begin() {
		this.last = this.database.sql(LAST).query(Long.class).single();
	}

	/**
	 * Looks for the next of them.
	 * @return how long until then; null if none waits for its time
	 */
	@Nullable Duration until() {
		if (this.served.isNothing()) {
			return null;
		}
		var jobs = this.served.statement(this.database::sql, SELECT).param("last", this.last);
		return Stream.concat(jobs.query(Long.class).list().stream(),
				this.database.sql(SELECT_LIMITED).param("types", this.served.types()).query(Long.class).list().stream())
			.filter((micros) -> micros != null)
			.min(Long::compare)
			.map((micros) -> Duration.of(micros, ChronoUnit.MICROS))
			.orElse(null);
	}

}
