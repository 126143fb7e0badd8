package io.jobqueue.store.jdbc.schedule;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.store.ScheduleStore;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredSchedule;
import io.jobqueue.store.TickPlan;
import io.jobqueue.store.jdbc.enqueue.EnqueueInTransaction;
import io.jobqueue.store.jdbc.table.ForgetDeclarations;

import org.jspecify.annotations.Nullable;

/**
 * The schedules in SQL.
 */
public final class JdbcScheduleStore implements ScheduleStore {

	private static final String FORGET_TICKS = """
			DELETE FROM jobqueue_tick WHERE tick_at < {now + :before MICROSECOND} LIMIT :limit""";

	private final Database database;

	private final ScheduleRows rows;

	private final FireTicks fire;

	private final ChangeSchedules change;

	private final SaveDeclared declared;

	/**
	 * Creates a store.
	 * @param database the database, with the queue's tables in it
	 * @param settings where payloads are kept, as for other jobs
	 */
	public JdbcScheduleStore(Database database, StoreSettings settings) {
		this.database = database;
		EnqueueInTransaction enqueue = new EnqueueInTransaction(database, settings);
		this.rows = new ScheduleRows(database);
		this.fire = new FireTicks(database, enqueue);
		this.change = new ChangeSchedules(database, enqueue, this.fire);
		this.declared = new SaveDeclared(database, new SaveSchedules(database));
	}

	@Override
	public Consumer<Runnable> save(ScheduleDefinition definition) {
		switch (this.database.callers().phase()) {
			case OPEN -> {
				new SaveSchedules(this.database.ofCaller()).save(definition);
				return this.database.callers().transaction()::afterCommit;
			}
			case NONE -> saveApart(this.database, definition);
			case OVER -> saveAfterCallers(definition);
			default ->
				throw new IllegalStateException("The current transaction is not on the job queue's DataSource, or "
						+ "nobody can tell, so the schedule would be saved even if that transaction is rolled back. Save it in "
						+ "a transaction of the queue's DataSource, or outside of any transaction.");
		}
		return Runnable::run;
	}

	private static void saveApart(Database database, ScheduleDefinition definition) {
		database.transactions().run(() -> {
			new SaveSchedules(database).save(definition);
			return definition;
		});
	}

	/**
	 * The caller's transaction is over, but its connection is not yet back in the pool; a
	 * second one might never come.
	 */
	private void saveAfterCallers(ScheduleDefinition definition) {
		Connection connection = this.database.callers().bound();
		if (connection == null) {
			saveApart(this.database, definition);
			return;
		}
		Database same = this.database.on(connection);
		same.callers().commitWhatIsOpen(connection);
		saveApart(same, definition);
	}

	@Override
	public List<String> declare(Collection<ScheduleDefinition> declared, long revision, Duration live) {
		return this.declared.declare(declared, revision, live);
	}

	@Override
	public boolean pause(String name) {
		return this.database.transactions().run(LockWaits.PATIENT, () -> this.change.pause(name));
	}

	@Override
	public boolean resume(String name) {
		return this.database.transactions().run(LockWaits.PATIENT, () -> this.change.resume(name));
	}

	@Override
	public Optional<Triggered> trigger(String name) {
		return this.database.transactions().run(LockWaits.PATIENT, () -> this.change.trigger(name));
	}

	@Override
	public boolean remove(String name) {
		return this.database.transactions().run(LockWaits.PATIENT, () -> this.change.remove(name));
	}

	@Override
	public Optional<StoredSchedule> find(String name) {
		return this.database.transactions().run(() -> this.rows.find(name));
	}

	@Override
	public List<StoredSchedule> list(String after, int limit) {
		return this.database.read(() -> this.rows.list(after, limit));
	}

	@Override
	public Summary summary() {
		return this.database.read(this.rows::summary);
	}

	@Override
	public Due due(int limit) {
		ScheduleRows.Next next = this.database.read(this.rows::next);
		boolean isDue = !next.due().isAfter(next.now());
		return new Due(next.now().toInstant(ZoneOffset.UTC),
				next.due().isBefore(ScheduleRows.NEVER) ? next.due().toInstant(ZoneOffset.UTC) : null,
				isDue ? this.database.transactions().run(() -> this.rows.due(limit)) : List.of());
	}

	@Override
	public Fired fire(List<TickPlan> plans) {
		return this.database.transactions().run(LockWaits.SHORT, () -> this.fire.fire(plans));
	}

	@Override
	public boolean noteProblem(StoredSchedule schedule, String problem, Duration retryAfter) {
		return this.database.transactions()
			.run(LockWaits.SHORT, () -> this.change.noteProblem(schedule, problem, retryAfter));
	}

	@Override
	public boolean rest(StoredSchedule schedule) {
		return this.database.transactions().run(LockWaits.SHORT, () -> this.change.rest(schedule));
	}

	@Override
	public List<StoredSchedule> ahead(long after, int limit) {
		return this.database.transactions().run(() -> this.rows.ahead(after, limit));
	}

	@Override
	public boolean move(StoredSchedule schedule, @Nullable Instant next) {
		return this.database.transactions().run(LockWaits.SHORT, () -> this.change.move(schedule, next));
	}

	@Override
	public int forgetTicks(Duration age, int limit) {
		return this.database.transactions()
			.run(() -> this.database.sql(FORGET_TICKS)
				.param("before", -Utc.micros(age))
				.param("limit", limit)
				.update());
	}

	@Override
	public int forgetDeclarations(Duration age) {
		return new ForgetDeclarations(this.database).forget(age);
	}

}
