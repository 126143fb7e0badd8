package io.jobqueue.store.jdbc.schedule;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

import io.jobqueue.CatchUp;
import io.jobqueue.NewJob;
import io.jobqueue.Overlap;
import io.jobqueue.Schedule;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.ScheduleDefinition.Missed;
import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.store.ScheduleStore.Summary;
import io.jobqueue.store.StoredSchedule.Counts;
import io.jobqueue.store.StoredSchedule.Flags;
import io.jobqueue.store.StoredSchedule.Times;
import io.jobqueue.store.StoredSchedule.Written;
import io.jobqueue.store.StoredSchedule;

/**
 * Reads schedules.
 */
public final class ScheduleRows {

	/** All columns of the table. */
	public static final String COLUMNS = """
			id, name, definition_hash, cron, interval_ms, zone, catch_up, catch_up_limit, overlap, jitter_ms, type, queue,
			    priority, max_attempts, timeout_ms, expires_after_ms, payload, declared, declared_until, paused_at, next_at,
			    due_at, last_at, last_job_id, fired, missed, skipped, failures, problem""";

	/** What stands for a time that never comes. */
	static final LocalDateTime NEVER = LocalDateTime.of(9999, 12, 31, 0, 0);

	/**
	 * A time of declaration that is far ahead is what a clock has left that was ahead.
	 */
	private static final String ORPHANED = """
			(declared = 1 AND (declared_until <= {now} OR declared_until > {now + 10 MINUTE}))""";

	/** One that nobody can read must not keep the others from being read. */
	private static final String READABLE = COLUMNS.replaceAll("\\b(paused_at|next_at|due_at|last_at)\\b",
			"{readable $1} AS $1");

	static final String SELECT = "SELECT " + READABLE + ",\n    CASE WHEN " + ORPHANED
			+ """
					 THEN 1 ELSE 0 END AS orphaned, CASE WHEN {unreadable next_at} THEN 1 ELSE 0 END AS unreadable, {now} AS now_utc
					FROM jobqueue_schedule""";

	/** The payloads of many might be more than there is memory for. */
	private static final String WITHOUT_PAYLOAD = SELECT.replace("expires_after_ms, payload,",
			"expires_after_ms, NULL AS payload,");

	private static final String FIND = SELECT + " WHERE name = :name";

	private static final String LIST = WITHOUT_PAYLOAD + " WHERE name > :after ORDER BY name LIMIT :limit";

	/** Orphans and what is paused are not overdue. */
	private static final String SUMMARY = """
			SELECT COUNT(*) AS schedules, SUM(CASE WHEN paused_at < TIMESTAMP '9999-12-31 00:00:00' THEN 1 ELSE 0 END) AS paused,
			    SUM(CASE WHEN $orphaned THEN 1 ELSE 0 END) AS orphaned,
			    SUM(CASE WHEN failures > 0 THEN 1 ELSE 0 END) AS failing, SUM(fired) AS fired, SUM(missed) AS missed,
			    SUM(skipped) AS skipped,
			    MAX(CASE WHEN next_at < {now} AND NOT $orphaned
			                AND paused_at >= TIMESTAMP '9999-12-31 00:00:00'
			            THEN TIMESTAMPDIFF(MICROSECOND, next_at, {now}) ELSE 0 END) AS overdue
			FROM jobqueue_schedule"""
		.replace("$orphaned", ORPHANED);

	private static final String DUE = WITHOUT_PAYLOAD
			+ "{byDue} WHERE due_at <= {now} ORDER BY jobqueue_schedule.due_at, id LIMIT :limit";

	private static final String AHEAD = WITHOUT_PAYLOAD
			+ """
					 WHERE id > :after AND next_at < TIMESTAMP '9999-12-31 00:00:00' AND due_at < TIMESTAMP '9999-12-31 00:00:00'
					    AND (next_at > {now} OR due_at > {now})
					ORDER BY id
					LIMIT :limit""";

	/** There is always a row, which tells the time. */
	private static final String NEXT = """
			SELECT {now} AS now_utc,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_schedule{byDue} WHERE due_at <= {now})
			        THEN 0
			        ELSE TIMESTAMPDIFF(MICROSECOND, {now}, (SELECT MIN(due_at) FROM jobqueue_schedule{byDue}))
			        END AS due_in
			FROM (SELECT 1 AS one) once""";

	private final Database database;

	ScheduleRows(Database database) {
		this.database = database;
	}

	Optional<StoredSchedule> find(String name) {
		return this.database.sql(FIND).param("name", name).query(ScheduleRows::read).optional();
	}

	List<StoredSchedule> list(String after, int limit) {
		return this.database.sql(LIST).param("after", after).param("limit", limit).query(ScheduleRows::read).list();
	}

	Summary summary() {
		return this.database.sql(SUMMARY)
			.query((row, number) -> new Summary(row.getLong("schedules"), row.getLong("paused"),
					row.getLong("orphaned"), row.getLong("failing"), row.getLong("fired"), row.getLong("missed"),
					row.getLong("skipped"), Utc.ofMicros(row.getLong("overdue"))))
			.single();
	}

	List<StoredSchedule> due(int limit) {
		return this.database.sql(DUE).param("limit", limit).query(ScheduleRows::read).list();
	}

	List<StoredSchedule> ahead(long after, int limit) {
		return this.database.sql(AHEAD).param("after", after).param("limit", limit).query(ScheduleRows::read).list();
	}

	/**
	 * Reads when the next schedule is due.
	 */
	Next next() {
		return this.database.sql(NEXT).query((row, number) -> {
			LocalDateTime now = row.getObject("now_utc", LocalDateTime.class);
			long micros = row.getLong("due_in");
			return new Next(now, row.wasNull() ? NEVER : now.plus(micros, ChronoUnit.MICROS));
		}).single();
	}

	/**
	 * Whether two nodes that read a schedule have seen the same of it.
	 */
	static boolean isUnchanged(StoredSchedule before, StoredSchedule now) {
		return now.hash().equals(before.hash()) && now.times().equals(before.times())
				&& now.flags().paused() == before.flags().paused();
	}

	static StoredSchedule read(ResultSet row, int number) throws SQLException {
		ScheduleDefinition definition = null;
		String flaw = "";
		String cron = row.getString("cron");
		String timing = cron.isEmpty() ? "every " + Duration.ofMillis(row.getLong("interval_ms"))
				: "cron " + cron + " in " + row.getString("zone");
		try {
			if (row.getInt("unreadable") == 1) {
				throw new IllegalStateException("next_at is no time");
			}
			definition = definition(row);
			definition.timing();
		}
		catch (RuntimeException ex) {
			// Any program may write here, and a later version more than this one knows.
			definition = null;
			flaw = String.valueOf(ex.getMessage());
		}
		return new StoredSchedule(row.getLong("id"), row.getString("name"), definition,
				new Written(timing, row.getString("type"), row.getString("queue"), flaw),
				row.getString("definition_hash"),
				new Flags(row.getInt("declared") == 1, row.getInt("orphaned") == 1,
						Utc.instantOrNull(row, "paused_at") != null),
				new Times(Utc.instantOrNull(row, "next_at"), Utc.instantOrNull(row, "due_at"),
						Utc.instantOrNull(row, "last_at")),
				new Counts(row.getLong("last_job_id"), row.getLong("fired"), row.getLong("missed"),
						row.getLong("skipped"), row.getInt("failures"), row.getString("problem")),
				Utc.instant(row, "now_utc"));
	}

	private static ScheduleDefinition definition(ResultSet row) throws SQLException {
		int limit = Math.max(1, Math.min(Schedule.MAX_CATCH_UP, row.getInt("catch_up_limit")));
		Missed missed = new Missed(of(CatchUp.values(), row.getInt("catch_up")), limit);
		return new ScheduleDefinition(row.getString("name"), row.getString("cron"),
				Duration.ofMillis(row.getLong("interval_ms")), row.getString("zone"), missed,
				of(Overlap.values(), row.getInt("overlap")), Duration.ofMillis(row.getLong("jitter_ms")),
				new EnqueuedJob(job(row), row.getString("payload")));
	}

	private static NewJob job(ResultSet row) throws SQLException {
		NewJob job = NewJob.of(row.getString("type")).queue(row.getString("queue")).priority(row.getInt("priority"));
		int attempts = row.getInt("max_attempts");
		long timeout = row.getLong("timeout_ms");
		long expiry = row.getLong("expires_after_ms");
		job = (attempts > 0) ? job.maxAttempts(attempts) : job;
		job = (timeout > 0) ? job.timeout(Duration.ofMillis(timeout)) : job;
		return (expiry > 0) ? job.expiresAfter(Duration.ofMillis(expiry)) : job;
	}

	/**
	 * A later version may know more.
	 */
	private static <E extends Enum<E>> E of(E[] values, int code) {
		return values[(code >= 0 && code < values.length) ? code : 0];
	}

	/**
	 * When something is to be done next.
	 *
	 * @param now the database's time
	 * @param due when the next schedule is due
	 */
	record Next(LocalDateTime now, LocalDateTime due) {

	}

}
