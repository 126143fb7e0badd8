package io.jobqueue.store.jdbc.order;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;

/**
 * The places of jobs that wait.
 */
final class Places {

	private static final String ONE = "(order_key = ? AND job_id = ?)";

	private static final String LOCK = """
			SELECT order_key, job_id FROM jobqueue_order_place{byPrimary} WHERE\s""";

	private static final String DELETE = """
			{delete jobqueue_order_place} WHERE\s""";

	/**
	 * Of jobs that are there: by ids alone, as the keys would have to be written out. In
	 * the other order, as statistics of an empty table suggest, it would lock all places.
	 */
	private static final String DELETE_OF_JOBS = """
			DELETE p
			FROM jobqueue_job j{byPrimary} STRAIGHT_JOIN jobqueue_order_place p{byPrimary}
			    ON p.order_key = j.order_key AND p.job_id = j.id
			WHERE j.id IN (:ids)""";

	private static final String FIRST = """
			SELECT order_key, job_id
			FROM jobqueue_order_place{byPrimary}
			WHERE order_key = :key AND job_id <= :until AND job_id <> :but
			ORDER BY job_id
			LIMIT :limit""";

	/**
	 * One for each of few keys. Places that were deleted before the first one, and are
	 * still in the index because somebody has an old snapshot open, are not passed.
	 */
	private static final String NEXT_OF_ONE = """
			(SELECT order_key, job_id
			 FROM jobqueue_order_place{byPrimary}
			 WHERE order_key = ? AND job_id >= ?
			 ORDER BY job_id
			 LIMIT 1)""";

	/**
	 * Of many keys, which have few such places each. With job_id alone to order by, MySQL
	 * would read and sort all places of each key.
	 */
	private static final String NEXT_OF_MANY = """
			SELECT order_key, job_id
			FROM (SELECT k.order_key,
			          (SELECT p.job_id
			           FROM jobqueue_order_place p{byPrimary}
			           WHERE p.order_key = k.order_key AND p.job_id >= k.from_id
			           ORDER BY p.order_key, p.job_id
			           LIMIT 1) AS job_id
			      FROM jobqueue_order_key k{byPrimary}
			      WHERE k.order_key IN (:keys)) f
			WHERE job_id IS NOT NULL""";

	private static final String LAST = """
			SELECT COALESCE(MAX(job_id), 0) FROM jobqueue_order_place{byPrimary} WHERE order_key = :key""";

	private static final String WAITING = """
			SELECT order_key, id AS job_id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state = 9""";

	private final Database database;

	Places(Database database) {
		this.database = database;
	}

	void delete(Collection<Place> places) {
		for (List<Place> chunk : Chunks.of(List.copyOf(places))) {
			this.database.template().update(this.database.constant(DELETE) + anyOf(chunk), values(chunk));
		}
	}

	/**
	 * Deletes the places of jobs that the transaction has locked.
	 */
	void deleteOf(Collection<Place> places) {
		if (places.size() <= KeyRows.FEW || !this.database.can(Capability.CHANGE_BY_JOIN)) {
			delete(places);
			return;
		}
		Chunks.of(places.stream().map(Place::job).toList())
			.forEach((ids) -> this.database.numbers(DELETE_OF_JOBS).ids(ids).update());
	}

	/**
	 * Deletes places whose jobs do not wait. They are locked first: a job that is
	 * redriven at this moment takes its place again before or after this, and not in
	 * between.
	 * @return how many were deleted
	 */
	int deleteGone(Collection<Place> places) {
		int deleted = 0;
		String lock = this.database.expand(" {lockOrWait}");
		for (List<Place> chunk : Chunks.of(List.copyOf(places))) {
			List<Place> locked = this.database.template()
				.query(this.database.constant(LOCK) + anyOf(chunk) + lock,
						(row, number) -> Place.read(row, this.database.dialect()), values(chunk));
			if (!locked.isEmpty()) {
				Set<Place> waiting = waiting(locked.stream().map(Place::job).toList());
				List<Place> gone = locked.stream().filter((place) -> !waiting.contains(place)).toList();
				delete(gone);
				deleted += gone.size();
			}
		}
		return deleted;
	}

	private Set<Place> waiting(List<Long> jobs) {
		return new HashSet<>(this.database.numbers(WAITING)
			.ids(jobs)
			.query((row, number) -> (row.getString(1) != null) ? Place.read(row, this.database.dialect())
					: new Place("", row.getLong(2))));
	}

	/**
	 * The first places of a key, up to a job, but for one.
	 */
	List<Place> first(String key, long until, long but, int limit) {
		return this.database.sql(FIRST)
			.param("key", key)
			.param("until", until)
			.param("but", but)
			.param("limit", limit)
			.query((row, number) -> Place.read(row, this.database.dialect()))
			.list();
	}

	/**
	 * The first jobs of keys that wait. Such a read at READ COMMITTED has seen all that
	 * was committed before this statement; what is committed later leaves a change.
	 * @param rows the rows of the keys, as they are saved
	 * @return the jobs by key; none for keys of which none waits
	 */
	Map<String, Long> next(Collection<KeyRow> rows) {
		List<Place> places = new ArrayList<>();
		if (rows.size() <= KeyRows.FEW) {
			places.addAll(nextOfFew(List.copyOf(rows)));
		}
		else {
			for (List<String> chunk : Chunks.of(rows.stream().map(KeyRow::key).toList())) {
				places.addAll(this.database.sql(NEXT_OF_MANY)
					.param("keys", chunk)
					.query((row, number) -> Place.read(row, this.database.dialect()))
					.list());
			}
		}
		return places.stream().collect(Collectors.toMap(Place::key, Place::job));
	}

	private List<Place> nextOfFew(List<KeyRow> rows) {
		if (rows.isEmpty()) {
			return List.of();
		}
		List<Object> values = new ArrayList<>(2 * rows.size());
		rows.forEach((row) -> values.addAll(List.of(row.key(), row.from())));
		String one = this.database.constant(NEXT_OF_ONE);
		return this.database.template()
			.query(one + ("\nUNION ALL\n" + one).repeat(rows.size() - 1),
					(row, number) -> Place.read(row, this.database.dialect()), values.toArray());
	}

	/**
	 * The last job of a key that waits.
	 * @return its id; 0 if there is none
	 */
	long last(String key) {
		return this.database.sql(LAST).param("key", key).query(Long.class).single();
	}

	private static String anyOf(List<Place> places) {
		return places.stream().map((place) -> ONE).collect(Collectors.joining(" OR "));
	}

	private static Object[] values(List<Place> places) {
		List<Object> values = new ArrayList<>(2 * places.size());
		for (Place place : places) {
			values.add(place.key());
			values.add(place.job());
		}
		return values.toArray();
	}

}
