package io.jobqueue.store.jdbc.finish;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.jobqueue.JobState;
import io.jobqueue.database.Database;
import io.jobqueue.store.ApplicationStore.CancelledJobs;

/**
 * cancel: READY or RUNNING → archive CANCELLED. What a running attempt does afterwards
 * meets no row under its fence.
 */
public final class CancelJobs {

	/**
	 * Workers hold a row for a moment only, so a row that is locked is asked for again.
	 * One that the caller's own transaction has just inserted stays locked until that
	 * ends: waiting for it would be waiting for oneself.
	 */
	private static final String SELECT = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id = :id FOR UPDATE NOWAIT""";

	private static final String SELECT_OF = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state IN (:states) FOR UPDATE NOWAIT""";

	private static final String SELECT_FREE = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) FOR UPDATE SKIP LOCKED""";

	private static final String SELECT_ALL = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids)""";

	private static final String SELECT_FREE_OF = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state IN (:states) FOR UPDATE SKIP LOCKED""";

	private static final String SELECT_ALL_OF = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state IN (:states)""";

	private final Database database;

	private final EndJobs end;

	private final BegunJobs begun;

	public CancelJobs(Database database, EndJobs end) {
		this.database = database;
		this.end = end;
		this.begun = new BegunJobs(database);
	}

	public boolean cancel(long id) {
		return cancel(id, () -> this.database.sql(SELECT).param("id", id).query(Long.class).list());
	}

	/**
	 * Cancels a job that still has one of some states.
	 */
	public boolean cancel(long id, List<Integer> states) {
		return cancel(id, () -> ids(SELECT_OF, List.of(id), states));
	}

	private boolean cancel(long id, Supplier<List<Long>> lock) {
		return this.database.transactions().run(() -> {
			List<Long> found = this.begun.lockUnlessBegun(id, lock);
			this.end.archive(JobState.CANCELLED, found);
			return !found.isEmpty();
		});
	}

	/**
	 * The same as below, as part of the transaction that is open, and only those that
	 * still have one of some states.
	 */
	public CancelledJobs cancelInTransaction(Collection<Long> ids, List<Integer> states) {
		if (ids.isEmpty()) {
			return new CancelledJobs(List.of(), List.of());
		}
		List<Long> free = ids(SELECT_FREE_OF, ids, states);
		List<Long> locked = new ArrayList<>();
		if (free.size() < ids.size()) {
			locked.addAll(ids(SELECT_ALL_OF, ids, states));
			locked.removeAll(Set.copyOf(free));
			locked.removeAll(this.begun.of(locked));
		}
		this.end.archive(JobState.CANCELLED, free);
		return new CancelledJobs(free, locked);
	}

	private List<Long> ids(String statement, Collection<Long> ids, List<Integer> states) {
		return this.database.numbers(statement).ids(ids).list("states", states).query((row, number) -> row.getLong(1));
	}

	/**
	 * Cancels several jobs in one transaction, all but those that somebody has locked. Of
	 * these the ones that run in row-lock queues are not told of: they cannot be
	 * cancelled.
	 */
	public CancelledJobs cancel(Collection<Long> ids) {
		return this.database.transactions().run(() -> {
			List<Long> free = this.database.numbers(SELECT_FREE).ids(ids).query((row, number) -> row.getLong(1));
			List<Long> locked = new ArrayList<>();
			if (free.size() < ids.size()) {
				locked.addAll(this.database.numbers(SELECT_ALL).ids(ids).query((row, number) -> row.getLong(1)));
				locked.removeAll(Set.copyOf(free));
				locked.removeAll(this.begun.of(locked));
			}
			this.end.archive(JobState.CANCELLED, free);
			return new CancelledJobs(free, locked);
		});
	}

}
