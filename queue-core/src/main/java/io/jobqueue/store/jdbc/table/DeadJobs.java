package io.jobqueue.store.jdbc.table;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Cause;
import io.jobqueue.store.Causes;
import io.jobqueue.store.jdbc.table.StoreErrors.Entry;

import org.springframework.dao.DuplicateKeyException;

/**
 * Keeps dead jobs by the cause of their death, and how many there are of each. The rows
 * of causes are written last in a transaction, in the order of their ids: others that end
 * jobs of the same causes wait for them.
 */
public final class DeadJobs {

	/** What is left of a job that had the id before gives way. */
	private static final String ADD = """
			{deadJobsStart}
			SELECT id, :cause, queue, type, finished_at
			FROM jobqueue_archive{byPrimary}
			WHERE id IN (:ids)
			{deadJobsEnd}""";

	private static final String COUNT = "{causesStart}";

	private static final String ROW = " (?, ?, ?, ?, ?, {now}, {now})";

	private static final String ADD_TO_COUNT = """
			UPDATE jobqueue_cause SET jobs = jobs + :number, last_at = {now} WHERE id = :cause""";

	private static final String CAUSES = """
			SELECT cause_id, COUNT(*) AS jobs
			FROM jobqueue_dead_job{byPrimary}
			WHERE job_id IN (:ids)
			GROUP BY cause_id""";

	private static final String REMOVE = """
			{delete jobqueue_dead_job} WHERE job_id IN (:ids)""";

	private static final String TAKE_FROM_COUNT = """
			UPDATE jobqueue_cause SET jobs = CASE WHEN jobs > :number THEN jobs - :number ELSE 0 END WHERE id = :cause""";

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
		Map<Long, Cause> causes = new TreeMap<>();
		Map<Long, List<Long>> jobs = new TreeMap<>();
		for (Entry one : dead) {
			Cause cause = this.causes.of(one.failure());
			causes.put(cause.id(), cause);
			jobs.computeIfAbsent(cause.id(), (id) -> new ArrayList<>()).add(one.claim().id());
		}
		jobs.forEach((cause, ids) -> Chunks.of(ids)
			.forEach((chunk) -> this.database.numbers(ADD).param("cause", cause).ids(chunk).update()));
		Chunks.of(List.copyOf(causes.entrySet())).forEach((chunk) -> count(chunk, jobs));
	}

	private void count(List<Map.Entry<Long, Cause>> causes, Map<Long, List<Long>> jobs) {
		if (!this.database.can(Capability.LOCK_BY_UPSERT)) {
			causes.forEach((cause) -> countOne(cause, jobs.getOrDefault(cause.getKey(), List.of()).size()));
			return;
		}
		List<Object> values = new ArrayList<>();
		causes.forEach((cause) -> values(cause, jobs.getOrDefault(cause.getKey(), List.of()).size(), values));
		String rows = String.join(",", Collections.nCopies(causes.size(), ROW));
		this.database.template()
			.update(this.database.constant(COUNT) + this.database.expand(rows + " {causesEnd}"), values.toArray());
	}

	private static void values(Map.Entry<Long, Cause> cause, long number, List<Object> values) {
		values.addAll(List.of(cause.getKey(), cause.getValue().errorType(), cause.getValue().place(),
				cause.getValue().message(), number));
	}

	private void countOne(Map.Entry<Long, Cause> cause, long number) {
		if (addToCount(cause.getKey(), number)) {
			return;
		}
		try {
			List<Object> values = new ArrayList<>();
			values(cause, number, values);
			this.database.template().update(this.database.constant(COUNT + ROW), values.toArray());
		}
		catch (DuplicateKeyException ex) {
			// Another transaction was first.
			addToCount(cause.getKey(), number);
		}
	}

	private boolean addToCount(long cause, long number) {
		return this.database.numbers(ADD_TO_COUNT).param("number", number).param("cause", cause).update() == 1;
	}

	/**
	 * Removes jobs that are dead no more, or gone.
	 * @param ids their ids; the transaction has locked them in the archive
	 */
	public void remove(Collection<Long> ids) {
		Map<Long, Long> numbers = new TreeMap<>();
		for (List<Long> chunk : Chunks.of(List.copyOf(ids))) {
			this.database.numbers(CAUSES)
				.ids(chunk)
				.query((row, number) -> numbers.merge(row.getLong("cause_id"), row.getLong("jobs"), Long::sum));
			this.database.numbers(REMOVE).ids(chunk).update();
		}
		numbers.forEach((cause, number) -> this.database.numbers(TAKE_FROM_COUNT)
			.param("number", number)
			.param("cause", cause)
			.update());
	}

}
