package io.jobqueue.store.jdbc.operation;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.jobqueue.JobCount;
import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.Operation;
import io.jobqueue.database.Database;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.OperationStore;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.jdbc.finish.CancelJobs;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.finish.RedriveJobs;
import io.jobqueue.store.jdbc.finish.WaitingJobs;
import io.jobqueue.store.jdbc.table.StoreErrors;

import org.jspecify.annotations.Nullable;

/**
 * Operations on many jobs in SQL, and actions on single ones that hold for what was seen.
 */
public final class JdbcOperations implements OperationStore {

	/** All columns of the table. */
	public static final String COLUMNS = "id, action, state, job_state, queue, type, order_key, limit_key, cause_id, "
			+ "from_at, until_at, last_id, position, passes, expected, expected_more, changed, locked, failed, actor, "
			+ "started_at, ended_at, problem";

	/** A row as {@link OperationRow} reads it. */
	static final String SELECT = """
			SELECT id, action, state, job_state, queue, type, order_key, limit_key, cause_id, {readable from_at} AS from_utc,
			    {readable until_at} AS until_utc, last_id, position, passes, expected, expected_more, changed, locked, failed, actor,
			    {readable started_at} AS started_utc, {readable ended_at} AS ended_utc, problem
			FROM jobqueue_operation
			""";

	private static final String NEWEST = SELECT + "ORDER BY id DESC LIMIT :limit";

	private static final String ONE = SELECT + "WHERE id = :id";

	private static final String RUNNING = """
			SELECT id FROM jobqueue_operation{byState} WHERE state = 0 ORDER BY id LIMIT 100""";

	private static final String STOP = """
			UPDATE jobqueue_operation SET state = 2, ended_at = {now} WHERE id = :id AND state = 0""";

	private final Database database;

	private final BeginOperation begin;

	private final OperationTurns turns;

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
		RedriveJobs redrive = new RedriveJobs(database);
		this.cancel = new CancelJobs(database,
				new EndJobs(database, new StoreErrors(database), settings.keepSucceeded()));
		this.turns = new OperationTurns(database, redrive, this.cancel);
		this.waiting = new WaitingJobs(database);
		this.payloads = new ChangePayload(database, redrive, settings.inlinePayload());
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
		return this.turns.turn(id, limit);
	}

	@Override
	public Optional<Long> next(long id) {
		return this.turns.next(id);
	}

	@Override
	public Passed passOver(long id, long job, @Nullable String problem) {
		return this.turns.passOver(id, job, problem);
	}

	@Override
	public void giveUp(long id, String problem) {
		this.turns.giveUp(id, problem);
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
		return this.cancel.cancel(id, OperationTurns.states(seen));
	}

}
