package io.jobqueue.store.jdbc.table;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Causes;
import io.jobqueue.store.jdbc.table.StoreErrors.Entry;

/**
 * Keeps dead jobs by the cause of their death: a row for each, and none that several jobs
 * share, for which a node that stands still would have others wait.
 */
public final class DeadJobs {

	/** What is left of a job that had the id before gives way. */
	private static final String ADD = """
			{deadJobsStart}
			SELECT id, :cause, queue, type, finished_at
			FROM jobqueue_archive{byPrimary}
			WHERE id IN (:ids)
			{deadJobsEnd}""";

	private static final String REMOVE = """
			{delete jobqueue_dead_job} WHERE job_id IN (:ids)""";

	private final Database database;

	private final Causes causes = new Causes();

	public DeadJobs(Database database) {
		this.database = database;
	}

	/**
	 * Adds jobs that have just been archived as dead.
	 * @param dead the jobs, with the errors that they are dead for
	 */
	public void add(List<Entry> dead) {
		Map<Long, List<Long>> jobs = new TreeMap<>();
		for (Entry one : dead) {
			jobs.computeIfAbsent(this.causes.of(one.failure()).id(), (id) -> new ArrayList<>()).add(one.claim().id());
		}
		jobs.forEach((cause, ids) -> Chunks.of(ids)
			.forEach((chunk) -> this.database.numbers(ADD).param("cause", cause).ids(chunk).update()));
	}

	/**
	 * Removes jobs that are dead no more, or gone.
	 * @param ids their ids; the transaction has locked them in the archive
	 */
	public void remove(Collection<Long> ids) {
		Chunks.of(List.copyOf(ids)).forEach((chunk) -> this.database.numbers(REMOVE).ids(chunk).update());
	}

}
