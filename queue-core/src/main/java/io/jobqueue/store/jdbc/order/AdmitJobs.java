package io.jobqueue.store.jdbc.order;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimNext;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.OrderKeys.NowReady;
import io.jobqueue.store.jdbc.claim.TakeWaiting;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.finish.LetBeReady;

/**
 * Makes the first jobs that wait for their keys ready, or claims them at once.
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
		return admit(free, this::lock, (jobs) -> {
		});
	}

	/**
	 * Claims them, or makes them ready if something is to be said against that.
	 * @param free the rows of keys of which no job may run, all of them locked
	 * @param take claims jobs that wait
	 * @param next who claims them
	 */
	Admitted admit(List<KeyRow> free, TakeWaiting take, ClaimNext next) {
		return admit(free, (ids) -> take.lock(ids, next), (jobs) -> take.take(jobs, next));
	}

	private Admitted admit(List<KeyRow> free, Function<Collection<Long>, List<TakeWaiting.Waiting>> lock,
			Consumer<List<ClaimedJob>> take) {
		Map<String, Long> firsts = this.places.next(free);
		Map<Long, TakeWaiting.Waiting> locked = lock.apply(firsts.values())
			.stream()
			.collect(Collectors.toMap((job) -> job.claim().id(), Function.identity()));
		Set<String> again = new HashSet<>();
		List<KeyRow> heads = new ArrayList<>();
		List<KeyRow> others = new ArrayList<>();
		List<TakeWaiting.Waiting> admitted = new ArrayList<>();
		List<Place> missing = new ArrayList<>();
		for (KeyRow row : free) {
			Long first = firsts.get(row.key());
			if (first == null) {
				others.add(row.withoutHead());
				continue;
			}
			TakeWaiting.Waiting job = locked.get(first);
			if (job != null && job.key().equals(row.key())) {
				heads.add(row.withHead(first));
				admitted.add(job);
			}
			else {
				missing.add(new Place(row.key(), first));
				again.add(row.key());
				// What was decided before this is kept.
				others.add(row);
			}
		}
		int tidied = this.places.deleteGone(missing);
		if (tidied > 0) {
			tidied += tidy(missing.stream().map(Place::key).limit(FEW_KEYS).toList());
		}
		List<ClaimedJob> claimed = admitted.stream().map(TakeWaiting.Waiting::job).filter(Objects::nonNull).toList();
		take.accept(claimed);
		List<TakeWaiting.Waiting> toBeReady = admitted.stream().filter((job) -> job.job() == null).toList();
		Set<Long> dead = toBeReady.stream().map((job) -> job.claim().id()).collect(Collectors.toSet());
		this.ready
			.update(toBeReady.stream().map(TakeWaiting.Waiting::claim).sorted(Comparator.comparing(Claim::id)).toList())
			.forEach((job) -> dead.remove(job.id()));
		deletePlaces(admitted, dead);
		// The jobs of these are not there any more.
		heads.stream().filter((row) -> dead.contains(row.head())).forEach(others::add);
		heads.removeIf((row) -> dead.contains(row.head()));
		return new Admitted(heads, others, toBeReady.stream().map(TakeWaiting.Waiting::nowReady).distinct().toList(),
				claimed, again, tidied);
	}

	private void deletePlaces(List<TakeWaiting.Waiting> admitted, Set<Long> dead) {
		Map<Boolean, List<Place>> places = admitted.stream()
			.map((job) -> new Place(job.key(), job.claim().id()))
			.collect(Collectors.partitioningBy((place) -> dead.contains(place.job())));
		this.places.deleteOf(places.getOrDefault(false, List.of()));
		this.places.delete(places.getOrDefault(true, List.of()));
	}

	/**
	 * Where one job has left its place behind, others may have.
	 */
	private int tidy(List<String> keys) {
		return keys.stream()
			.mapToInt((key) -> this.places.deleteGone(this.places.first(key, Long.MAX_VALUE, 0, MOST_TIDIED)))
			.sum();
	}

	private List<TakeWaiting.Waiting> lock(Collection<Long> next) {
		List<TakeWaiting.Waiting> locked = new ArrayList<>();
		for (List<Long> chunk : Chunks.of(next.stream().sorted().toList())) {
			locked.addAll(this.database.numbers(LOCK).ids(chunk).query((row, number) -> {
				String key = row.getString("order_key");
				return new TakeWaiting.Waiting(
						new Claim(row.getLong("id"), row.getLong("fence"), row.getLong("session_id")),
						(key != null) ? this.database.dialect().name(key) : "",
						new NowReady(row.getString("type"), row.getString("queue"), row.getInt("priority")), null);
			}));
		}
		return locked;
	}

	/**
	 * What has become of keys.
	 *
	 * @param heads the rows that have new heads, which the transaction has locked
	 * @param others the other rows as they are to be saved
	 * @param ready the jobs that are ready now
	 * @param claimed those that are claimed
	 * @param again the keys whose first job is locked or gone
	 * @param tidied how many places were given up whose jobs do not wait
	 */
	record Admitted(List<KeyRow> heads, List<KeyRow> others, List<NowReady> ready, List<ClaimedJob> claimed,
			Set<String> again, int tidied) {

	}

}
