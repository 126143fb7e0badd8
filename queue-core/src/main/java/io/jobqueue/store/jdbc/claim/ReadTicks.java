package io.jobqueue.store.jdbc.claim;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.ClaimedJob;

/**
 * Reads the ticks of jobs that belong to a schedule, by a statement of their own: a
 * column more in the read of all jobs would cost those too that have none.
 */
final class ReadTicks {

	private static final String SELECT = """
			SELECT id, {readable scheduled_for} AS tick FROM jobqueue_job{byPrimary} WHERE id IN (:ids)""";

	private final Database database;

	ReadTicks(Database database) {
		this.database = database;
	}

	/**
	 * Completes claimed jobs.
	 * @param found what was found, with those jobs among them
	 * @param claimed the jobs
	 * @return the jobs with their ticks
	 */
	List<ClaimedJob> complete(List<Candidate> found, List<ClaimedJob> claimed) {
		List<Long> ids = found.stream().filter(Candidate::scheduled).map(Candidate::id).toList();
		if (ids.isEmpty() || claimed.isEmpty()) {
			return claimed;
		}
		Map<Long, Instant> ticks = new HashMap<>();
		this.database.numbers(SELECT)
			.ids(ids)
			.query((row, number) -> ticks.put(row.getLong("id"), Utc.instantOrNull(row, "tick")));
		return claimed.stream().map((job) -> job.withScheduledFor(ticks.get(job.claim().id()))).toList();
	}

}
