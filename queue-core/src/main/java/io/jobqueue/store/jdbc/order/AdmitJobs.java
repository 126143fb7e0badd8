package io.jobqueue.store.jdbc.order;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;
import io.jobqueue.store.OrderKeys.NowReady;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.finish.LetBeReady;

/**
 * Makes the first jobs that wait for their keys ready.
 */
final class AdmitJobs {

	private static final int FEW_KEYS = 20;

	private static final int MOST_TIDIED = 500;

	/** Somebody may be about to cancel one. */
	private static final String LOCK = """
			SELECT id, fence, session_id, order_key, type, queue, priority
			FROM jobqueue_job{byPrimary}
			WHERE id IN (:ids) AND state = 9
			{lockOrWait}""";

	private final Database database;

	private final LetBeReady ready;

	private final Places places;

	AdmitJobs(Database database, EndJobs end, Places places) {
		this.database = database;
		this.ready = new LetBeReady(database, end);
		this.places = places;
	}

	/**
	 * Makes them ready.
	 * @param free the rows of keys of which no job may run, all of them locked
	 */
	Admitted admit(List<KeyRow> free) {
		Map<String, Long> firsts = this.places.next(free);
		Map<Long, Waiting> locked = lock(firsts.values());
		Set<String> again = new HashSet<>();
		List<KeyRow> rows = new ArrayList<>();
		List<Waiting> admitted = new ArrayList<>();
		List<Place> missing = new ArrayList<>();
		for (KeyRow row : free) {
			Long next = firsts.get(row.key());
			if (next == null) {
				rows.add(row.withoutHead());
				continue;
			}
			Waiting job = locked.get(next);
			if (job != null && job.place().key().equals(row.key())) {
				rows.add(row.withHead(next));
				admitted.add(job);
			}
			else {
				missing.add(new Place(row.key(), next));
				again.add(row.key());
				// What was decided before this is kept.
				rows.add(row);
			}
		}
		int tidied = this.places.deleteGone(missing);
		if (tidied > 0) {
			tidied += tidy(missing.stream().map(Place::key).limit(FEW_KEYS).toList());
		}
		this.ready.update(admitted.stream().map(Waiting::claim).sorted(Comparator.comparing(Claim::id)).toList());
		this.places.delete(admitted.stream().map(Waiting::place).toList());
		return new Admitted(rows, admitted.stream().map(Waiting::nowReady).distinct().toList(), again, tidied);
	}

	/**
	 * Where one job has left its place behind, others may have.
	 */
	private int tidy(List<String> keys) {
		return keys.stream()
			.mapToInt((key) -> this.places.deleteGone(this.places.first(key, Long.MAX_VALUE, 0, MOST_TIDIED)))
			.sum();
	}

	private Map<Long, Waiting> lock(Collection<Long> next) {
		Map<Long, Waiting> locked = new HashMap<>();
		for (List<Long> chunk : Chunks.of(next.stream().sorted().toList())) {
			this.database.numbers(LOCK).ids(chunk).query((row, number) -> {
				String key = row.getString("order_key");
				Claim claim = new Claim(row.getLong("id"), row.getLong("fence"), row.getLong("session_id"));
				return locked.put(claim.id(),
						new Waiting(claim,
								new Place((key != null) ? this.database.dialect().name(key) : "", claim.id()),
								new NowReady(row.getString("type"), row.getString("queue"), row.getInt("priority"))));
			});
		}
		return locked;
	}

	/**
	 * A job that waits and is locked.
	 */
	private record Waiting(Claim claim, Place place, NowReady nowReady) {

	}

	/**
	 * What has become of keys.
	 *
	 * @param rows the rows as they are to be saved
	 * @param ready the jobs that are ready now
	 * @param again the keys whose first job is locked or gone
	 * @param tidied how many places were given up whose jobs do not wait
	 */
	record Admitted(List<KeyRow> rows, List<NowReady> ready, Set<String> again, int tidied) {

	}

}
