package io.jobqueue.store.jdbc.schedule;

import java.time.Duration;
import java.time.Instant;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.schedule.DueTicks;
import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.store.StoredSchedule;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Stores what schedules say, in the transaction that is open. A changed definition gets a
 * new next tick, an unchanged one keeps it.
 */
final class SaveSchedules {

	private static final String ADD = "{addSchedule}";

	private static final String EXISTS = """
			SELECT COUNT(*) FROM jobqueue_schedule WHERE name = :name""";

	private static final String LOCK = ScheduleRows.SELECT + " WHERE name = :name FOR UPDATE";

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
			    missed = missed + :missed,
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
		StoredSchedule before = locked(definition);
		before.refuseIfDeclaredByRunningNode("change it there, or choose another name");
		update(definition, before, null).update();
	}

	/**
	 * Stores what code declares.
	 * @param definition the definition
	 * @param live for how long that holds
	 */
	void declare(ScheduleDefinition definition, Duration live) {
		StoredSchedule before = locked(definition);
		update(definition, before, before.readAt().plus(live)).update();
	}

	/**
	 * Locks the schedule's row, which is made if it is not there. Looks before that: to
	 * insert what is there would lock the gap before it as well.
	 */
	private StoredSchedule locked(ScheduleDefinition definition) {
		int rows = this.database.sql(EXISTS).param("name", definition.name()).query(Integer.class).single();
		if (rows == 0) {
			this.database.sql(ADD)
				.param("name", definition.name())
				.param("type", definition.job().job().type())
				.update();
		}
		return this.database.sql(LOCK).param("name", definition.name()).query(ScheduleRows::read).single();
	}

	/**
	 * Ticks of the old definition that are due and have no job will have none.
	 */
	private static long missed(StoredSchedule before, String hash) {
		ScheduleDefinition old = before.definition();
		Instant next = before.times().next();
		if (old == null || next == null || before.hash().equals(hash) || before.flags().paused()) {
			return 0;
		}
		return DueTicks.count(old.timing(), next, before.readAt());
	}

	private JdbcClient.StatementSpec update(ScheduleDefinition definition, StoredSchedule before,
			@Nullable Instant declaredUntil) {
		NewJob job = definition.job().job();
		Instant next = definition.timing().after(before.readAt());
		return this.database.sql(UPDATE)
			.param("next", (next != null) ? Utc.of(next) : ScheduleRows.NEVER)
			.param("missed", missed(before, definition.hash()))
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
			.param("until", (declaredUntil != null) ? Utc.of(declaredUntil) : ScheduleRows.NEVER)
			.param("hash", definition.hash())
			.param("name", definition.name());
	}

}
