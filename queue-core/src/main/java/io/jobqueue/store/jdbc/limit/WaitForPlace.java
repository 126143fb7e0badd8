package io.jobqueue.store.jdbc.limit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.LimitKey;

/**
 * Jobs that wait for places of their limit keys: READY → WAITING and back.
 */
public final class WaitForPlace {

	private static final int MOST_KEYS = 100;

	private static final String WAIT = """
			UPDATE jobqueue_job{byPrimary} SET state = 10, fence = LEAST(fence, 9223372036854775000) + 1
			WHERE id IN (:ids)""";

	private static final String FIRST = """
			(SELECT limit_id, limit_key, job_id
			 FROM jobqueue_limit_place{byPrimary}
			 WHERE limit_id = ? AND limit_key = ?
			 ORDER BY job_id
			 LIMIT ?)""";

	private static final String LOCK = """
			SELECT id, fence FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state = 10 {lockOrWait}""";

	private static final String STILL_WAIT = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state = 10""";

	/** A place among those that are overdue could be one that claims have passed. */
	private static final String READY = """
			UPDATE jobqueue_job{byPrimary}
			SET state = {readyAgain}, fence = LEAST(fence, 9223372036854775000) + 1,
			    available_at = GREATEST({now}, available_at)
			WHERE id IN (:ids)""";

	private static final String DELETE = """
			{delete jobqueue_limit_place} WHERE\s""";

	private final Database database;

	public WaitForPlace(Database database) {
		this.database = database;
	}

	/**
	 * Lets jobs wait.
	 * @param keys their keys by job; the jobs are ready and locked
	 */
	public void add(Map<Long, LimitKey> keys) {
		for (List<Long> chunk : Chunks.of(keys.keySet().stream().sorted().toList())) {
			List<Object> values = new ArrayList<>(3 * chunk.size());
			for (long job : chunk) {
				LimitKey key = Objects.requireNonNull(keys.get(job));
				values.addAll(List.of(key.limitId(), key.key(), job));
			}
			this.database.template()
				.update(this.database.constant("{limitPlacesStart}") + this.database
					.expand(" (?, ?, ?)" + ", (?, ?, ?)".repeat(chunk.size() - 1) + " {unlessThere}"),
						values.toArray());
			this.database.numbers(WAIT).ids(chunk).update();
		}
	}

	/**
	 * The first jobs of keys.
	 * @param counts how many of each key
	 * @return their keys by job, the first ones first
	 */
	List<KeyedRows.Row> first(Map<LimitKey, Integer> counts) {
		List<KeyedRows.Row> places = new ArrayList<>();
		for (List<LimitKey> chunk : Chunks.of(List.copyOf(counts.keySet()), MOST_KEYS)) {
			List<Object> values = new ArrayList<>(3 * chunk.size());
			chunk.forEach((key) -> values.addAll(List.of(key.limitId(), key.key(), counts.get(key))));
			String one = this.database.constant(FIRST);
			places.addAll(this.database.template()
				.query(one + ("\nUNION ALL\n" + one).repeat(chunk.size() - 1),
						(row, number) -> new KeyedRows.Row(
								new LimitKey(row.getInt(1), this.database.dialect().name(row.getString(2))),
								row.getLong(3)),
						values.toArray()));
		}
		return places;
	}

	/**
	 * Makes jobs ready, as far as they still wait.
	 * @param places the jobs
	 * @return what has become of them
	 */
	Moved ready(Collection<KeyedRows.Row> places) {
		Map<Long, LimitKey> keys = new HashMap<>();
		places.forEach((place) -> keys.put(place.job(), place.key()));
		Map<Long, Long> fences = new HashMap<>();
		Set<Long> locked = new HashSet<>();
		for (List<Long> chunk : Chunks.of(keys.keySet().stream().sorted().toList())) {
			Map<Long, Long> ready = new HashMap<>();
			this.database.numbers(LOCK).ids(chunk).query((row, number) -> ready.put(row.getLong(1), row.getLong(2)));
			if (ready.size() < chunk.size()) {
				// Those of the others that wait are locked; the rest has ended.
				locked.addAll(this.database.numbers(STILL_WAIT).ids(chunk).query((row, number) -> row.getLong(1)));
				locked.removeAll(ready.keySet());
			}
			if (!ready.isEmpty()) {
				this.database.numbers(READY).ids(ready.keySet()).update();
			}
			fences.putAll(ready);
		}
		KeyedRows.delete(this.database, DELETE,
				places.stream().filter((place) -> !locked.contains(place.job())).toList());
		return new Moved(fences, keys.size() - fences.size());
	}

	/**
	 * What has become of jobs that waited.
	 *
	 * @param fences the fences that those had which are ready now
	 * @param missing how many were locked or have ended
	 */
	record Moved(Map<Long, Long> fences, int missing) {

	}

}
