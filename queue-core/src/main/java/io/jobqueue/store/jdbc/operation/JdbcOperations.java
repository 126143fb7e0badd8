package io.jobqueue.store.jdbc.operation;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.jobqueue.JobCount;
import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.Operation;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.ApplicationStore.CancelledJobs;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.OperationStore;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.Texts;
import io.jobqueue.store.jdbc.finish.CancelJobs;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.finish.RedriveJobs;
import io.jobqueue.store.jdbc.finish.WaitingJobs;
import io.jobqueue.store.jdbc.inspect.WalkJobs;
import io.jobqueue.store.jdbc.table.StoreErrors;

import org.jspecify.annotations.Nullable;

/**
 * Operations on many jobs in SQL. Whoever works on one has its row locked meanwhile; if
 * that node dies, the lock goes with its connection, and another one goes on.
 */
public final class JdbcOperations implements OperationStore {

	/** All columns of the table. */
	public static final String COLUMNS = "id, action, state, job_state, queue, type, order_key, limit_key, cause_id, "
			+ "from_at, until_at, last_id, position, passes, expected, expected_more, changed, locked, failed, actor, "
			+ "started_at, ended_at, problem";

	private static final String SELECT = """
			SELECT id, action, state, job_state, queue, type, order_key, limit_key, cause_id, {readable from_at} AS from_utc,
			    {readable until_at} AS until_utc, last_id, position, passes, expected, expected_more, changed, locked, failed, actor,
			    {readable started_at} AS started_utc, {readable ended_at} AS ended_utc, problem
			FROM jobqueue_operation
			""";

	private static final String NEWEST = SELECT + "ORDER BY id DESC LIMIT :limit";

	private static final String ONE = SELECT + "WHERE id = :id";

	private static final String LOCK = SELECT + "WHERE id = :id AND state = 0 {lockOrWait}";

	private static final String RUNNING = """
			SELECT id FROM jobqueue_operation{byState} WHERE state = 0 ORDER BY id LIMIT 100""";

	private static final String STOP = """
			UPDATE jobqueue_operation SET state = 2, ended_at = {now} WHERE id = :id AND state = 0""";

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

	private final BeginOperation begin;

	private final WalkJobs walk;

	private final RedriveJobs redrive;

	private final CancelJobs cancel;

	private final ChangePayload payloads;

	private final WaitingJobs waiting;

	/**
	 * Creates the operations' statements.
	 * @param database the database, with the queue's tables in it
	 * @param settings what is kept there
	 */
	public JdbcOperations(Database database, StoreSettings settings) {
		this.database = database;
		this.begin = new BeginOperation(database);
		this.walk = new WalkJobs(database);
		this.redrive = new RedriveJobs(database);
		this.cancel = new CancelJobs(database,
				new EndJobs(database, new StoreErrors(database), settings.keepSucceeded()));
		this.waiting = new WaitingJobs(database);
		this.payloads = new ChangePayload(database, this.redrive, settings.inlinePayload());
	}

	@Override
	public long begin(Operation.Action action, JobFilter filter, JobCount expected, String actor) {
		return this.begin.begin(action, filter, expected, actor);
	}

	@Override
	public boolean stop(long id) {
		return this.database.transactions()
			.run(LockWaits.PATIENT, () -> this.database.sql(STOP).param("id", id).update()) == 1;
	}

	@Override
	public List<Operation> list(int limit) {
		return this.database.read(() -> this.database.sql(NEWEST)
			.param("limit", limit)
			.query((row, number) -> OperationRow.read(row).operation())
			.list());
	}

	@Override
	public Optional<Operation> find(long id) {
		return this.database.transactions()
			.run(() -> this.database.sql(ONE)
				.param("id", id)
				.query((row, number) -> OperationRow.read(row).operation())
				.optional());
	}

	@Override
	public List<Long> running() {
		return this.database.read(() -> this.database.sql(RUNNING).query(Long.class).list());
	}

	@Override
	public Turn turn(long id, int limit) {
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

	private static List<Integer> states(JobState state) {
		return switch (state) {
			case READY ->
				List.of(StateCode.READY, StateCode.FIRST_SUSPECT, StateCode.STRONG_SUSPECT, StateCode.LIMITED_SUSPECT);
			case WAITING -> List.of(StateCode.WAITING, StateCode.LIMITED);
			default -> List.of(StateCode.RUNNING);
		};
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

	@Override
	public Optional<Long> next(long id) {
		return this.database.transactions()
			.run(LockWaits.SHORT, () -> locked(id).filter((row) -> row.flaw() == null)
				.flatMap((row) -> next(row, 1).ids().stream().findFirst()));
	}

	@Override
	public Passed passOver(long id, long job, @Nullable String problem) {
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

	@Override
	public void giveUp(long id, String problem) {
		this.database.transactions().run(LockWaits.SHORT, () -> giveUpInTransaction(id, problem));
	}

	private int giveUpInTransaction(long id, String problem) {
		return this.database.sql(GIVE_UP)
			.param("problem", Texts.shortened(problem, MAX_PROBLEM))
			.param("id", id)
			.update();
	}

	@Override
	public boolean redrive(long id, @Nullable String seen, String payload) {
		return this.payloads.change(id, seen, payload);
	}

	@Override
	public boolean reschedule(long id, Instant seen, Instant availableAt) {
		return this.waiting.reschedule(id, seen, availableAt);
	}

	@Override
	public boolean cancel(long id, JobState seen) {
		return this.cancel.cancel(id, states(seen));
	}

	/**
	 * What was done with jobs.
	 */
	private record Done(List<Long> cancelled, int redriven, int locked) {

	}

}
