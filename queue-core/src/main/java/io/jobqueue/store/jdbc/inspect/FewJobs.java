package io.jobqueue.store.jdbc.inspect;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;

import org.jspecify.annotations.Nullable;

/**
 * Live jobs that an index finds because they are few, by their ids, the highest first.
 */
final class FewJobs implements Entries {

	/** More are not sorted, but looked for among all live jobs. */
	static final int MOST = 5_000;

	/**
	 * Each state is a range of its own: for a list of states the server may read all of
	 * the index.
	 */
	private static final String READY = """
			SELECT id FROM jobqueue_job{byClaim} WHERE state = 0
			UNION ALL SELECT id FROM jobqueue_job{byClaim} WHERE state = 2
			UNION ALL SELECT id FROM jobqueue_job{byClaim} WHERE state = 7
			UNION ALL SELECT id FROM jobqueue_job{byClaim} WHERE state = 8
			LIMIT :limit""";

	private static final String WAITING = """
			SELECT id FROM jobqueue_job{byClaim} WHERE state = 9
			UNION ALL SELECT id FROM jobqueue_job{byClaim} WHERE state = 10
			LIMIT :limit""";

	/** Jobs of row-lock queues look ready while they run. */
	private static final String RUNNING = """
			SELECT id FROM jobqueue_job{byClaim} WHERE state = 1
			UNION ALL
			SELECT job_id FROM jobqueue_start WHERE freed = 0
			LIMIT :limit""";

	/** The one that may run, those behind it, and those of which no worker knows yet. */
	private static final String OF_KEY = """
			SELECT head_id AS id FROM jobqueue_order_key WHERE order_key = :key AND head_id <> 0
			UNION ALL
			SELECT job_id FROM jobqueue_order_place WHERE order_key = :key
			UNION ALL
			SELECT job_id FROM (SELECT job_id, order_key FROM jobqueue_order_change WHERE kind = 1 LIMIT 1000) come
			WHERE order_key = :key
			LIMIT :limit""";

	/** While nobody works on changes they may be many, in no order. */
	private static final int MOST_CHANGES = 1_000;

	private static final String CHANGES = """
			SELECT COUNT(*) FROM (SELECT 1 AS one FROM jobqueue_order_change WHERE kind = 1 LIMIT :limit) come""";

	private static final String ENTRIES = Entry.live("WHERE id IN (:ids)");

	private final Database database;

	private final List<Long> ids;

	private FewJobs(Database database, Collection<Long> ids) {
		this.database = database;
		this.ids = List.copyOf(ids);
	}

	/**
	 * Finds live jobs by an index.
	 * @param database the database
	 * @param filter which jobs, of a live state
	 * @return the jobs among which those of the filter are; empty if there are too many
	 */
	static Optional<FewJobs> of(Database database, JobFilter filter) {
		if (filter.orderKey() != null && hasManyChanges(database)) {
			return Optional.empty();
		}
		var statement = (filter.orderKey() != null) ? database.sql(OF_KEY).param("key", filter.orderKey())
				: database.sql(statement(filter.state()));
		List<Long> ids = statement.param("limit", MOST + 1).query((row, number) -> row.getLong(1)).list();
		if (ids.size() > MOST) {
			return Optional.empty();
		}
		return Optional.of(new FewJobs(database, new TreeSet<>(ids).descendingSet()));
	}

	private static boolean hasManyChanges(Database database) {
		Integer changes = database.sql(CHANGES).param("limit", MOST_CHANGES + 1).query(Integer.class).single();
		return changes > MOST_CHANGES;
	}

	static String statement(@Nullable JobState state) {
		if (state == JobState.RUNNING) {
			return RUNNING;
		}
		return (state == JobState.WAITING) ? WAITING : READY;
	}

	@Override
	public boolean byTime() {
		return false;
	}

	/**
	 * Some may have ended since they were found.
	 */
	@Override
	public List<Entry> read(@Nullable Place after, int limit) {
		List<Long> left = this.ids.stream().filter((id) -> after == null || id < after.id()).toList();
		List<Entry> entries = new ArrayList<>();
		for (List<Long> chunk : Chunks.of(left)) {
			entries.addAll(this.database.numbers(ENTRIES)
				.ids(chunk)
				.query((row, number) -> Entry.read(row, this.database.dialect(), false)));
			if (entries.size() >= limit) {
				break;
			}
		}
		entries.sort(JobsByNumber.HIGHEST_FIRST);
		return (entries.size() > limit) ? List.copyOf(entries.subList(0, limit)) : entries;
	}

}
