package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.ClaimedJob;

/**
 * Writes the claims of jobs that the transaction has locked: one statement for those that
 * have the same time.
 */
final class MarkRunning {

	private final Database database;

	private final String statement;

	/**
	 * Creates the statement.
	 * @param database the database
	 * @param more columns that are written too, with a comma before each
	 */
	MarkRunning(Database database, String more) {
		this.database = database;
		this.statement = "UPDATE jobqueue_job{byPrimary}\n" + TakeJobs.CLAIM + more + "WHERE id IN (:ids)";
	}

	/**
	 * Claims jobs.
	 * @param jobs the jobs
	 * @param sessionId the worker's session
	 * @param heldLimit how many jobs it may hold then, if one of these is a suspect
	 * @param deadline how long each may stay claimed
	 */
	void update(Collection<ClaimedJob> jobs, long sessionId, int heldLimit, Function<ClaimedJob, Duration> deadline) {
		Map<Duration, List<Long>> byDeadline = new LinkedHashMap<>();
		for (ClaimedJob job : jobs) {
			byDeadline.computeIfAbsent(deadline.apply(job), (key) -> new ArrayList<>()).add(job.claim().id());
		}
		byDeadline.forEach((time, all) -> Chunks.of(all)
			.forEach((ids) -> this.database.numbers(this.statement)
				.param("session", sessionId)
				.param("heldLimit", heldLimit)
				.param("deadline", Utc.micros(time))
				.ids(ids)
				.update()));
	}

}
