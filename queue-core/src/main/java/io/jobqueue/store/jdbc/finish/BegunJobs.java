package io.jobqueue.store.jdbc.finish;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.jobqueue.database.Database;
import io.jobqueue.store.SqlFailure;

/**
 * Tells jobs whose rows stay locked because they run, in row-lock queues, from those that
 * somebody has locked for a moment.
 */
final class BegunJobs {

	private static final String BEGUN = """
			SELECT j.id FROM jobqueue_job j{byPrimary} JOIN jobqueue_start s ON s.job_id = j.id AND s.fence - 1 = j.fence
			WHERE j.id IN (:ids) AND j.state = 0""";

	private final Database database;

	BegunJobs(Database database) {
		this.database = database;
	}

	Set<Long> of(Collection<Long> ids) {
		return ids.isEmpty() ? Set.of()
				: new HashSet<>(this.database.numbers(BEGUN).ids(ids).query((row, number) -> row.getLong(1)));
	}

	/**
	 * Locks a job by a statement that does not wait.
	 * @param id the job
	 * @param lock locks it
	 * @return what was locked; empty also if the job runs in a row-lock queue
	 */
	List<Long> lockUnlessBegun(long id, Supplier<List<Long>> lock) {
		try {
			return lock.get();
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isConflict(ex) && !of(List.of(id)).isEmpty()) {
				return List.of();
			}
			throw ex;
		}
	}

}
