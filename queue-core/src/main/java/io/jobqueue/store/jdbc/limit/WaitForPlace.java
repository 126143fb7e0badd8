package io.jobqueue.store.jdbc.limit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.jdbc.finish.LetBeReady;

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
			SELECT id, fence, session_id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state = 10 {lockOrWait}""";

	private static final String STILL_WAIT = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state = 10""";

	private static final String DELETE = """
			{delete jobqueue_limit_place} WHERE\s""";

	private final Database database;

	private final LetBeReady ready;

	public WaitForPlace(Database database) {
		this.database = database;
		this.ready = new LetBeReady(database);
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
	 * The first places of keys.
	 * @param counts how many of each key
	 * @return the places by key, in their order
	 */
	Map<LimitKey, List<KeyedRows.Row>> first(Map<LimitKey, Integer> counts) {
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
		return places.stream().collect(Collectors.groupingBy(KeyedRows.Row::key));
	}

	/**
	 * Deletes the places of jobs that do not wait any more.
	 * @param places the places, of keys that are locked
	 * @return how many were deleted
	 */
	int deleteEnded(Collection<KeyedRows.Row> places) {
		Set<Long> waiting = stillWait(places.stream().map(KeyedRows.Row::job).toList());
		List<KeyedRows.Row> ended = places.stream().filter((place) -> !waiting.contains(place.job())).toList();
		KeyedRows.delete(this.database, DELETE, ended);
		return ended.size();
	}

	private Set<Long> stillWait(List<Long> jobs) {
		Set<Long> waiting = new HashSet<>();
		for (List<Long> chunk : Chunks.of(jobs)) {
			waiting.addAll(this.database.numbers(STILL_WAIT).ids(chunk).query((row, number) -> row.getLong(1)));
		}
		return waiting;
	}

	/**
	 * Makes jobs ready, as far as they still wait, and deletes the places of those and of
	 * jobs that have ended.
	 * @param places their places, of keys that are locked
	 */
	Moved ready(Collection<KeyedRows.Row> places) {
		List<Long> jobs = places.stream().map(KeyedRows.Row::job).sorted().toList();
		Map<Long, Claim> locked = new HashMap<>();
		for (List<Long> chunk : Chunks.of(jobs)) {
			this.database.numbers(LOCK)
				.ids(chunk)
				.query((row, number) -> locked.put(row.getLong(1),
						new Claim(row.getLong(1), row.getLong(2), row.getLong(3))));
		}
		// Those of the others that wait are locked; the rest has ended.
		Set<Long> lockedByOthers = (locked.size() < jobs.size())
				? stillWait(jobs.stream().filter((job) -> !locked.containsKey(job)).toList()) : Set.of();
		List<Claim> ready = this.ready
			.update(locked.values().stream().sorted((one, other) -> Long.compare(one.id(), other.id())).toList());
		KeyedRows.delete(this.database, DELETE,
				places.stream().filter((place) -> !lockedByOthers.contains(place.job())).toList());
		return new Moved(ready.stream().collect(Collectors.toMap(Claim::id, Claim::fence)), lockedByOthers);
	}

	/**
	 * What has become of jobs that waited.
	 *
	 * @param fences the fences that those had which are ready now
	 * @param locked those that somebody else has locked. The rest has ended
	 */
	record Moved(Map<Long, Long> fences, Set<Long> locked) {

	}

}
