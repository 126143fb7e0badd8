package io.jobqueue.store.jdbc.limit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.jobqueue.store.LimitKey;

/**
 * Fills the free places of limit keys, which are locked, with the first jobs that wait.
 * Jobs that somebody else has locked are passed over, and keep their turn.
 */
final class FillPlaces {

	/** With each round more of what has ended is tidied up. */
	private static final List<Integer> TIDIED = List.of(200, 2_000, 2_000);

	private final WaitForPlace waiting;

	private final Holders holders;

	/** How many places are free. */
	private final Map<LimitKey, Integer> free;

	private final Map<LimitKey, Set<Long>> passed = new HashMap<>();

	private final Set<LimitKey> left = new HashSet<>();

	private int ready;

	private int tidied;

	FillPlaces(WaitForPlace waiting, Holders holders, Map<LimitKey, Integer> free) {
		this.waiting = waiting;
		this.holders = holders;
		this.free = new TreeMap<>(free);
	}

	Filled fill() {
		for (int more : TIDIED) {
			if (this.free.isEmpty()) {
				break;
			}
			if (fillSome()) {
				tidy(more);
			}
		}
		this.left.addAll(this.free.keySet());
		return new Filled(this.ready, this.tidied, this.left);
	}

	/**
	 * @return whether some jobs had ended
	 */
	private boolean fillSome() {
		Map<LimitKey, Integer> wanted = new TreeMap<>(this.free);
		wanted.replaceAll((key, count) -> count + this.passed.getOrDefault(key, Set.of()).size());
		Map<LimitKey, List<KeyedRows.Row>> first = this.waiting.first(wanted);
		List<KeyedRows.Row> places = new ArrayList<>();
		first.forEach((key, all) -> {
			Set<Long> known = this.passed.getOrDefault(key, Set.of());
			all.stream().filter((place) -> !known.contains(place.job())).forEach(places::add);
		});
		WaitForPlace.Moved moved = this.waiting.ready(places);
		hold(places, moved.fences());
		places.stream()
			.filter((place) -> moved.locked().contains(place.job()))
			.forEach((place) -> this.passed.computeIfAbsent(place.key(), (key) -> new HashSet<>()).add(place.job()));
		int ended = places.size() - moved.fences().size() - moved.locked().size();
		this.tidied += ended;
		wanted.forEach((key, count) -> {
			if (first.getOrDefault(key, List.of()).size() < count) {
				// No more wait, but for those that are locked.
				this.free.remove(key);
				if (this.passed.containsKey(key)) {
					this.left.add(key);
				}
			}
		});
		return ended > 0;
	}

	private void hold(List<KeyedRows.Row> places, Map<Long, Long> readyFences) {
		Map<Long, LimitKey> keys = new HashMap<>();
		Map<Long, Long> fences = new HashMap<>();
		for (KeyedRows.Row place : places) {
			Long fence = readyFences.get(place.job());
			if (fence != null) {
				keys.put(place.job(), place.key());
				// One more by this move, and one more by the claim.
				fences.put(place.job(), Math.min(fence, Long.MAX_VALUE - 2) + 2);
				this.free.computeIfPresent(place.key(), (key, count) -> (count > 1) ? count - 1 : null);
			}
		}
		this.holders.add(keys, fences);
		this.ready += keys.size();
	}

	private void tidy(int places) {
		Map<LimitKey, Integer> many = new TreeMap<>(this.free);
		many.replaceAll((key, count) -> places);
		this.tidied += this.waiting
			.deleteEnded(this.waiting.first(many).values().stream().flatMap(List::stream).toList());
	}

	/**
	 * What has become of places.
	 *
	 * @param ready how many jobs are ready now
	 * @param tidied how many places of jobs that had ended were deleted
	 * @param left the keys that are to be seen to again
	 */
	record Filled(int ready, int tidied, Collection<LimitKey> left) {

	}

}
