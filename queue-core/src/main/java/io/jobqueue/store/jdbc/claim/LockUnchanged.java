package io.jobqueue.store.jdbc.claim;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;

/**
 * Locks jobs that were read without a lock, if they are still as they were: each change
 * of a ready job raises its fence.
 */
final class LockUnchanged {

	private static final String LOCK = """
			SELECT id, fence FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state IN ({allReady})
			FOR UPDATE SKIP LOCKED""";

	private final Database database;

	LockUnchanged(Database database) {
		this.database = database;
	}

	/**
	 * Locks jobs until the transaction ends.
	 * @param jobs the jobs
	 * @return those that have not changed, and that nobody else has locked
	 */
	List<Candidate> lock(List<Candidate> jobs) {
		Set<Found> found = new HashSet<>();
		for (List<Candidate> chunk : Chunks.of(jobs)) {
			found.addAll(this.database.numbers(LOCK)
				.ids(chunk.stream().map(Candidate::id).toList())
				.query((row, number) -> new Found(row.getLong(1), row.getLong(2))));
		}
		return jobs.stream()
			.filter((job) -> found.contains(new Found(job.id(), job.job().claim().fence() - 1)))
			.toList();
	}

	private record Found(long id, long fence) {

	}

}
