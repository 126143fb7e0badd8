package io.jobqueue.store.jdbc.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.ScheduleDefinition;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Stores what schedules say, in the transaction that is open. A changed definition gets a
 * new next tick, an unchanged one keeps it.
 */
final class SaveSchedules {

	private static final String ADD = "{addSchedule}";

	private static final String NOW = """
			SELECT {now} AS now_utc FROM (SELECT 1 AS one) once""";

	private static final String DECLARED = """
			SELECT CASE WHEN declared = 1 AND declared_until > {now} THEN 1 ELSE 0 END
			FROM jobqueue_schedule
			WHERE name = :name
			FOR UPDATE""";

	/**
	 * MySQL assigns from left to right, and what follows sees what was assigned; others
	 * see what was before. So the hash comes last.
	 */
	private static final String UPDATE = """
			UPDATE jobqueue_schedule
			SET due_at = CASE WHEN paused_at < TIMESTAMP '9999-12-31 00:00:00' THEN TIMESTAMP '9999-12-31 00:00:00'
			        WHEN definition_hash <> :hash THEN :next
			        WHEN due_at >= TIMESTAMP '9999-12-31 00:00:00' THEN next_at
			        ELSE due_at END,
			    next_at = CASE WHEN definition_hash <> :hash THEN :next ELSE next_at END,
			    failures = CASE WHEN definition_hash <> :hash THEN 0 ELSE failures END,
			    problem = CASE WHEN definition_hash <> :hash THEN '' ELSE problem END,
			    cron = :cron, interval_ms = :interval, zone = :zone, catch_up = :catchUp, catch_up_limit = :limit,
			    overlap = :overlap, jitter_ms = :jitter, type = :type, queue = :queue, priority = :priority,
			    max_attempts = :attempts, timeout_ms = :timeout, expires_after_ms = :expiry, payload = :payload,
			    declared = :declared, declared_until = :until, definition_hash = :hash
			WHERE name = :name""";

	private final Database database;

	SaveSchedules(Database database) {
		this.database = database;
	}

	/**
	 * Saves a schedule that the application asks for.
	 * @throws IllegalStateException if a live node declares it
	 */
	void save(ScheduleDefinition definition) {
		add(definition);
		int declared = this.database.sql(DECLARED).param("name", definition.name()).query(Integer.class).single();
		if (declared == 1) {
			throw new IllegalStateException("The schedule '" + definition.name()
					+ "' is declared in code (@Recurring) by a running node; change it there, or choose another name");
		}
		update(definition, null).update();
	}

	/**
	 * Stores what code declares.
	 * @param definition the definition
	 * @param until until when that holds
	 */
	void declare(ScheduleDefinition definition, LocalDateTime until) {
		add(definition);
		update(definition, until).update();
	}

	private void add(ScheduleDefinition definition) {
		this.database.sql(ADD).param("name", definition.name()).param("type", definition.job().job().type()).update();
	}

	private JdbcClient.StatementSpec update(ScheduleDefinition definition, @Nullable LocalDateTime declaredUntil) {
		NewJob job = definition.job().job();
		LocalDateTime now = this.database.sql(NOW)
			.query((row, number) -> row.getObject("now_utc", LocalDateTime.class))
			.single();
		Instant next = definition.timing().after(now.toInstant(ZoneOffset.UTC));
		return this.database.sql(UPDATE)
			.param("next", (next != null) ? Utc.of(next) : ScheduleRows.NEVER)
			.param("cron", definition.cron())
			.param("interval", definition.interval().toMillis())
			.param("zone", definition.zone())
			.param("catchUp", definition.missed().catchUp().ordinal())
			.param("limit", definition.missed().limit())
			.param("overlap", definition.overlap().ordinal())
			.param("jitter", definition.jitter().toMillis())
			.param("type", job.type())
			.param("queue", job.queue())
			.param("priority", job.priority())
			.param("attempts", job.maxAttempts())
			.param("timeout", job.timeout().toMillis())
			.param("expiry", (job.expiresAfter() != null) ? job.expiresAfter().toMillis() : 0)
			.param("payload", definition.job().payload())
			.param("declared", (declaredUntil != null) ? 1 : 0)
			.param("until", (declaredUntil != null) ? declaredUntil : ScheduleRows.NEVER)
			.param("hash", definition.hash())
			.param("name", definition.name());
	}

}
