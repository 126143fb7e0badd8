package io.jobqueue.store.jdbc.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;

import io.jobqueue.Overlap;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.schedule.DueTicks;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.store.ScheduleStore.Triggered;
import io.jobqueue.store.StoredSchedule;
import io.jobqueue.store.jdbc.enqueue.EnqueueInTransaction;

import org.jspecify.annotations.Nullable;

/**
 * What operators do with a schedule, and what workers note of it, each in the transaction
 * that is open.
 */
final class ChangeSchedules {

	private static final String LOCK = ScheduleRows.SELECT + " WHERE name = :name FOR UPDATE";

	private static final String PAUSE = """
			UPDATE jobqueue_schedule SET paused_at = {now}, due_at = TIMESTAMP '9999-12-31 00:00:00' WHERE id = :id""";

	private static final String RESUME = """
			UPDATE jobqueue_schedule
			SET paused_at = TIMESTAMP '9999-12-31 00:00:00', next_at = :next, due_at = :next, missed = missed + :missed
			WHERE id = :id""";

	private static final String PAUSED_AT = """
			SELECT paused_at FROM jobqueue_schedule WHERE id = :id""";

	private static final String LAST_JOB = """
			UPDATE jobqueue_schedule SET last_job_id = :job WHERE id = :id""";

	private static final String DELETE_TICKS = """
			DELETE FROM jobqueue_tick WHERE schedule_id = :id""";

	private static final String DELETE = """
			DELETE FROM jobqueue_schedule WHERE id = :id""";

	/** Whoever has the row locked, be it for long, is not waited for. */
	private static final String LOCK_IF_FREE = """
			SELECT id FROM jobqueue_schedule{byPrimary} WHERE id = :id {lockOrWait}""";

	private static final String NOTE_PROBLEM = """
			UPDATE jobqueue_schedule
			SET failures = LEAST(GREATEST(failures, 0), 1000000) + 1, problem = :problem, due_at = {now + :retryAfter MICROSECOND}
			WHERE id = :id AND (next_at = :next OR next_at > TIMESTAMP '9999-12-31 00:00:00' OR {unreadable next_at})
			    AND (due_at = :due OR {unreadable due_at})
			    AND definition_hash = :hash""";

	private static final String REST = """
			UPDATE jobqueue_schedule
			SET due_at = TIMESTAMP '9999-12-31 00:00:00'
			WHERE id = :id AND due_at < TIMESTAMP '9999-12-31 00:00:00'
			    AND (paused_at < TIMESTAMP '9999-12-31 00:00:00'
			        OR (declared = 1 AND (declared_until <= {now} OR declared_until > {now + 10 MINUTE})))""";

	private static final String MOVE = """
			UPDATE jobqueue_schedule SET due_at = :moved, next_at = :moved
			WHERE id = :id AND (next_at = :next OR next_at > TIMESTAMP '9999-12-31 00:00:00' OR {unreadable next_at})
			    AND (due_at = :due OR {unreadable due_at})
			    AND definition_hash = :hash""";

	private final Database database;

	private final EnqueueInTransaction enqueue;

	private final FireTicks fire;

	ChangeSchedules(Database database, EnqueueInTransaction enqueue, FireTicks fire) {
		this.database = database;
		this.enqueue = enqueue;
		this.fire = fire;
	}

	private Optional<StoredSchedule> locked(String name) {
		return this.database.sql(LOCK).param("name", name).query(ScheduleRows::read).optional();
	}

	boolean pause(String name) {
		Optional<StoredSchedule> found = locked(name);
		found.filter((schedule) -> !schedule.flags().paused())
			.ifPresent((schedule) -> this.database.sql(PAUSE).param("id", schedule.id()).update());
		return found.isPresent();
	}

	boolean resume(String name) {
		Optional<StoredSchedule> found = locked(name);
		found.filter((schedule) -> schedule.flags().paused()).ifPresent(this::resume);
		return found.isPresent();
	}

	/**
	 * Ticks that were due before the pause and have no job are missed; those during the
	 * pause never were.
	 */
	private void resume(StoredSchedule schedule) {
		ScheduleDefinition definition = schedule.understood();
		Instant stored = schedule.times().next();
		long missed = 0;
		Instant next = null;
		if (stored != null) {
			Instant pausedAt = this.database.sql(PAUSED_AT)
				.param("id", schedule.id())
				.query((row, number) -> Utc.instant(row, "paused_at"))
				.single();
			missed = DueTicks.count(definition.timing(), stored, pausedAt);
			next = stored.isAfter(schedule.readAt()) ? stored
					: definition.timing().firstAfter(stored, schedule.readAt());
		}
		this.database.sql(RESUME).param("next", utc(next)).param("missed", missed).param("id", schedule.id()).update();
	}

	Optional<Triggered> trigger(String name) {
		return locked(name).map(this::trigger);
	}

	private Triggered trigger(StoredSchedule schedule) {
		if (schedule.understood().overlap() == Overlap.SKIP && this.fire.hasLiveJob(schedule)) {
			return new Triggered(null, null);
		}
		EnqueuedJob defined = schedule.understood().job();
		EnqueuedJob job = new EnqueuedJob(defined.job(), defined.payload(), schedule.readAt());
		long id = this.enqueue.enqueueInOwn(List.of(job)).ids().get(0);
		this.database.sql(LAST_JOB).param("job", id).param("id", schedule.id()).update();
		return new Triggered(id, job);
	}

	boolean remove(String name) {
		Optional<StoredSchedule> found = locked(name);
		found.ifPresent((schedule) -> {
			schedule.refuseIfDeclaredByRunningNode("remove it there, or pause it");
			this.database.sql(DELETE_TICKS).param("id", schedule.id()).update();
			this.database.sql(DELETE).param("id", schedule.id()).update();
		});
		return found.isPresent();
	}

	boolean noteProblem(StoredSchedule schedule, String problem, Duration retryAfter) {
		return isFree(schedule) && this.database.sql(NOTE_PROBLEM)
			.param("problem", problem)
			.param("retryAfter", Utc.micros(retryAfter))
			.param("id", schedule.id())
			.param("next", utc(schedule.times().next()))
			.param("due", utc(schedule.times().due()))
			.param("hash", schedule.hash())
			.update() == 1;
	}

	boolean rest(StoredSchedule schedule) {
		return isFree(schedule) && this.database.sql(REST).param("id", schedule.id()).update() == 1;
	}

	boolean move(StoredSchedule schedule, @Nullable Instant next) {
		return isFree(schedule) && this.database.sql(MOVE)
			.param("moved", utc(next))
			.param("id", schedule.id())
			.param("next", utc(schedule.times().next()))
			.param("due", utc(schedule.times().due()))
			.param("hash", schedule.hash())
			.update() == 1;
	}

	private boolean isFree(StoredSchedule schedule) {
		return this.database.sql(LOCK_IF_FREE).param("id", schedule.id()).query(Long.class).optional().isPresent();
	}

	private static LocalDateTime utc(@Nullable Instant time) {
		return (time != null) ? Utc.of(time) : ScheduleRows.NEVER;
	}

}
