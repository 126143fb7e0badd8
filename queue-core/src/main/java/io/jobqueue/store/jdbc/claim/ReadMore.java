package io.jobqueue.store.jdbc.claim;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.ClaimedJob;
import org.jspecify.annotations.Nullable;

/**
 * Reads what few jobs have, the ticks of schedules, order keys and traces, by a statement
 * of its own: a column more in the read of all jobs would cost those too that have none.
 */
final class ReadMore {

	private static final String SELECT = """
			SELECT id, {readable scheduled_for} AS tick, order_key, trace FROM jobqueue_job{byPrimary} WHERE id IN (:ids)""";

	private final Database database;

	ReadMore(Database database) {
		this.database = database;
	}

	/**
	 * Completes claimed jobs.
	 * @param found what was found, with those jobs among them
	 * @param claimed the jobs
	 * @return the jobs with what they have
	 */
	List<ClaimedJob> complete(List<Candidate> found, List<ClaimedJob> claimed) {
		if (claimed.isEmpty()) {
			return claimed;
		}
		Set<Long> withMore = found.stream().filter(Candidate::more).map(Candidate::id).collect(Collectors.toSet());
		List<Long> ids = claimed.stream().map((job) -> job.claim().id()).filter(withMore::contains).toList();
		Map<Long, More> more = new HashMap<>();
		for (List<Long> chunk : Chunks.of(ids)) {
			this.database.numbers(SELECT)
				.ids(chunk)
				.query((row, number) -> more.put(row.getLong("id"),
						new More(Utc.instantOrNull(row, "tick"), row.getString("order_key"), row.getString("trace"))));
		}
		if (more.isEmpty()) {
			return claimed;
		}
		return claimed.stream().map((job) -> {
			More ofJob = more.get(job.claim().id());
			return (ofJob != null) ? job.with(ofJob.tick(), ofJob.orderKey(), ofJob.trace()) : job;
		}).toList();
	}

	/**
	 * What a job has.
	 */
	private record More(@Nullable Instant tick, @Nullable String orderKey, @Nullable String trace) {

	}

}
