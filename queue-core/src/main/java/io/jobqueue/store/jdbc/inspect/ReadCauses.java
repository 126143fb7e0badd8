package io.jobqueue.store.jdbc.inspect;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.jobqueue.DeadCause;
import io.jobqueue.JobCount;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.Cause;
import io.jobqueue.store.Failure;
import io.jobqueue.store.jdbc.table.LastErrors;

/**
 * Reads why jobs are dead. A cause is described by the error of its latest job.
 */
final class ReadCauses {

	/** So many are looked at; a node makes few of one place in the code. */
	private static final int MOST_CAUSES = 2_000;

	private static final int MOST_COUNTED = 10_000;

	private static final int PARTS = 100;

	/** The index has the first and the last of each. */
	private static final String CAUSES = """
			SELECT cause_id, {readable first_at} AS first_seen, {readable last_at} AS last_seen
			FROM (SELECT cause_id, MIN(died_at) AS first_at, MAX(died_at) AS last_at
			      FROM jobqueue_dead_job{byCause}
			      GROUP BY cause_id
			      LIMIT :limit) causes""";

	private static final String COUNT = """
			SELECT $cause AS cause_id, COUNT(*) AS jobs
			FROM (SELECT 1 AS one FROM jobqueue_dead_job{byCause} WHERE cause_id = $cause LIMIT $most) counted""";

	private static final String LATEST = """
			SELECT $cause AS cause_id, job_id
			FROM (SELECT job_id FROM jobqueue_dead_job{byCause} WHERE cause_id = $cause
			      ORDER BY died_at DESC, job_id DESC LIMIT 1) latest""";

	private final Database database;

	private final LastErrors errors;

	ReadCauses(Database database) {
		this.database = database;
		this.errors = new LastErrors(database);
	}

	List<DeadCause> read(int limit) {
		List<Times> causes = this.database.sql(CAUSES)
			.param("limit", MOST_CAUSES)
			.query((row, number) -> new Times(row.getLong("cause_id"), Utc.instant(row, "first_seen"),
					Utc.instant(row, "last_seen")))
			.list();
		Map<Long, Long> counts = numbers(COUNT, causes);
		List<Times> most = causes.stream()
			.filter((cause) -> counts.getOrDefault(cause.id(), 0L) > 0)
			.sorted(Comparator.comparingLong((Times cause) -> counts.getOrDefault(cause.id(), 0L))
				.thenComparing(Times::last)
				.reversed())
			.limit(limit)
			.toList();
		Map<Long, Long> latest = numbers(LATEST, most);
		Map<Long, Failure> failures = this.errors.of(List.copyOf(latest.values()));
		return most.stream()
			.map((cause) -> described(cause, counts.getOrDefault(cause.id(), 0L),
					failures.getOrDefault(latest.getOrDefault(cause.id(), 0L), LastErrors.UNKNOWN)))
			.toList();
	}

	private static DeadCause described(Times times, long jobs, Failure failure) {
		Cause cause = Cause.of(failure, times.id());
		return new DeadCause(times.id(), cause.errorType(), cause.place(), cause.message(),
				new JobCount(Math.min(jobs, MOST_COUNTED), jobs > MOST_COUNTED), times.first(), times.last());
	}

	/**
	 * Asks for a number of each cause.
	 */
	private Map<Long, Long> numbers(String statement, List<Times> causes) {
		String one = this.database.constant(statement).replace("$most", Integer.toString(MOST_COUNTED + 1));
		Map<Long, Long> numbers = new HashMap<>();
		for (List<Times> chunk : Chunks.of(causes, PARTS)) {
			String all = chunk.stream()
				.map((cause) -> one.replace("$cause", Long.toString(cause.id())))
				.collect(Collectors.joining("\nUNION ALL\n"));
			this.database.template().query(all, (row) -> {
				numbers.put(row.getLong(1), row.getLong(2));
			});
		}
		return numbers;
	}

	/**
	 * When jobs died of a cause.
	 */
	private record Times(long id, Instant first, Instant last) {

	}

}
