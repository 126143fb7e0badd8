package io.jobqueue.store.jdbc.operation;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.Operation;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.ApplicationStore.CancelledJobs;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.OperationStore.Passed;
import io.jobqueue.store.OperationStore.Turn;
import io.jobqueue.store.Texts;
import io.jobqueue.store.jdbc.finish.CancelJobs;
import io.jobqueue.store.jdbc.finish.RedriveJobs;
import io.jobqueue.store.jdbc.inspect.WalkJobs;

import org.jspecify.annotations.Nullable;

/**
 * Goes on with operations, some jobs at a time. Whoever works on one has its row locked
 * meanwhile; if that node dies, the lock goes with its connection, and another one goes
 * on.
 */
final class OperationTurns {

	private static final String LOCK = JdbcOperations.SELECT + "WHERE id = :id AND state = 0 {lockOrWait}";

	private static final String GIVE_UP = """
			UPDATE jobqueue_operation SET state = 2, ended_at = {now}, problem = :problem WHERE id = :id AND state = 0""";

	private static final int MAX_PROBLEM = 1_000;

	private static final String SAVE = """
			UPDATE jobqueue_operation
			SET position = :position, passes = :passes, changed = changed + :changed, locked = :locked, failed = :failed,
			    problem = :problem, state = :state,
			    ended_at = CASE WHEN :state = 0 THEN ended_at ELSE {now} END
			WHERE id = :id""";

	/** In one transaction. */
	private static final int LOOKED_AT = 4_000;

	private static final int MOST_PASSES = 3;

	private final Database database;

	private final WalkJobs walk;

	private final RedriveJobs redrive;

	private final CancelJobs cancel;

	OperationTurns(Database database, RedriveJobs redrive, CancelJobs cancel) {
		this.database = database;
		this.walk = new WalkJobs(database);
		this.redrive = redrive;
		this.cancel = cancel;
	}

	Turn turn(long id, int limit) {
		return this.database.transactions()
			.run(LockWaits.SHORT, () -> locked(id).map((row) -> turn(row, limit)).orElse(Turn.NOTHING));
	}

	private Optional<OperationRow> locked(long id) {
		return this.database.sql(LOCK).param("id", id).query((row, number) -> OperationRow.read(row)).optional();
	}

	private Turn turn(OperationRow row, int limit) {
		if (row.flaw() != null) {
			giveUpInTransaction(row.operation().id(), "The operation cannot be understood: " + row.flaw());
			return Turn.NOTHING;
		}
		WalkJobs.Found found = next(row, limit);
		if (row.operation().action() == Operation.Action.REDRIVE) {
			int redriven = this.redrive.redriveInTransaction(found.ids());
			return saved(row, found, new Done(List.of(), redriven, 0), null);
		}
		CancelledJobs done = this.cancel.cancelInTransaction(found.ids(),
				states(Objects.requireNonNull(row.operation().filter().state())));
		return saved(row, found, new Done(done.cancelled(), 0, done.locked().size()), null);
	}

	private WalkJobs.Found next(OperationRow row, int limit) {
		JobFilter filter = row.operation().filter();
		boolean live = filter.state() != null && filter.state().isLive();
		String start = live ? WalkJobs.behind(row.lastId()) : null;
		return this.walk.find(filter, row.position().isEmpty() ? start : row.position(), limit, LOOKED_AT);
	}

	/**
	 * @param failure why the job was passed over that was found; null if that is not so
	 */
	private Turn saved(OperationRow row, WalkJobs.Found found, Done done, @Nullable String failure) {
		long locked = row.locked() + done.locked();
		boolean over = found.next() == null;
		boolean again = over && locked > 0 && row.passes() + 1 < MOST_PASSES;
		boolean goesOn = !over || again;
		long failed = row.failed() + ((failure != null) ? 1 : 0);
		String problem = (failure != null) ? "%d job(s) could not be changed. %s".formatted(failed, failure)
				: row.operation().problem();
		if (over && !again && locked > 0) {
			problem = (locked + " job(s) were locked by other transactions, and are left. " + problem).strip();
		}
		this.database.sql(SAVE)
			.param("position", (found.next() != null) ? found.next() : "")
			.param("passes", over ? row.passes() + 1 : row.passes())
			.param("changed", done.cancelled().size() + done.redriven())
			.param("locked", again ? 0 : locked)
			// The next pass meets all of them once more.
			.param("failed", again ? 0 : failed)
			.param("problem", again ? "" : Texts.shortened(problem, MAX_PROBLEM))
			.param("state", goesOn ? 0 : 1)
			.param("id", row.operation().id())
			.update();
		return new Turn(goesOn, done.cancelled(), done.redriven());
	}

	Optional<Long> next(long id) {
		return this.database.transactions()
			.run(LockWaits.SHORT, () -> locked(id).filter((row) -> row.flaw() == null)
				.flatMap((row) -> next(row, 1).ids().stream().findFirst()));
	}

	Passed passOver(long id, long job, @Nullable String problem) {
		return this.database.transactions()
			.run(LockWaits.SHORT, () -> locked(id).map((row) -> passOver(row, job, problem)).orElse(Passed.NOTHING));
	}

	private Passed passOver(OperationRow row, long job, @Nullable String problem) {
		WalkJobs.Found found = next(row, 1);
		if (!found.ids().equals(List.of(job))) {
			return new Passed(true, false);
		}
		String failure = (problem != null) ? "The last was job %d: %s".formatted(job, problem) : null;
		Done done = new Done(List.of(), 0, (problem == null) ? 1 : 0);
		return new Passed(saved(row, found, done, failure).goesOn(), true);
	}

	void giveUp(long id, String problem) {
		this.database.transactions().run(LockWaits.SHORT, () -> giveUpInTransaction(id, problem));
	}

	private int giveUpInTransaction(long id, String problem) {
		return this.database.sql(GIVE_UP)
			.param("problem", Texts.shortened(problem, MAX_PROBLEM))
			.param("id", id)
			.update();
	}

	/**
	 * The codes of a state of live jobs.
	 */
	static List<Integer> states(JobState state) {
		return switch (state) {
			case READY ->
				List.of(StateCode.READY, StateCode.FIRST_SUSPECT, StateCode.STRONG_SUSPECT, StateCode.LIMITED_SUSPECT);
			case WAITING -> List.of(StateCode.WAITING, StateCode.LIMITED);
			default -> List.of(StateCode.RUNNING);
		};
	}

	/**
	 * What was done with jobs.
	 */
	private record Done(List<Long> cancelled, int redriven, int locked) {

	}

}
