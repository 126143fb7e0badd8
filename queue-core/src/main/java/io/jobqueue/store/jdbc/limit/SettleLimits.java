package io.jobqueue.store.jdbc.limit;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.jobqueue.database.Database;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitStore.Settled;
import org.jspecify.annotations.Nullable;

/**
 * Lets jobs that wait for limit keys be ready, as many as there are places, under the
 * locks of their allowances. It promises nothing: the claim counts again.
 */
final class SettleLimits {

	/** Of a key whose limit is gone: nothing but the claim holds its jobs back. */
	private static final int MOST_AT_ONCE = 500;

	private final Database database;

	private final Allowances allowances;

	private final Rules rules;

	private final Holders holders;

	private final WaitForPlace waiting;

	SettleLimits(Database database, Allowances allowances) {
		this.database = database;
		this.allowances = allowances;
		this.rules = new Rules(database);
		this.holders = new Holders(database);
		this.waiting = new WaitForPlace(database);
	}

	/**
	 * Sees to keys.
	 * @param keys the keys
	 */
	Settled settle(Collection<LimitKey> keys) {
		if (keys.isEmpty()) {
			return Settled.NOTHING;
		}
		return this.database.transactions().run(() -> {
			Map<LimitKey, Allowance> locked = this.allowances.lock(keys);
			Set<LimitKey> left = keys.stream()
				.filter((key) -> !locked.containsKey(key))
				.collect(Collectors.toCollection(HashSet::new));
			Map<LimitKey, Allowance> waited = new TreeMap<>(locked);
			waited.values().removeIf((allowance) -> !allowance.anyWait());
			locked.values().stream().filter((allowance) -> !allowance.anyWait()).forEach(this.allowances::lookNoMore);
			return waited.isEmpty() ? new Settled(0, left, null) : settle(waited, left);
		});
	}

	private Settled settle(Map<LimitKey, Allowance> locked, Set<LimitKey> left) {
		Map<Integer, Rule> byId = this.rules
			.read(locked.keySet().stream().map(LimitKey::limitId).collect(Collectors.toSet()));
		Map<LimitKey, Holders.OfKey> held = this.holders.read(locked.keySet());
		Map<LimitKey, Integer> counts = new TreeMap<>();
		Duration next = null;
		for (Allowance allowance : locked.values()) {
			LimitKey key = allowance.key();
			Rule rule = byId.get(key.limitId());
			if (rule == null) {
				counts.put(key, MOST_AT_ONCE);
				this.allowances.lookNoMore(allowance);
				continue;
			}
			Holders.OfKey ofKey = held.getOrDefault(key, new Holders.OfKey(0, Set.of(), Set.of()));
			int admitted = ofKey.lately().size();
			int places = Math.min(rule.running() - ofKey.running() - admitted, MOST_AT_ONCE);
			int starts = rule.startsLeft(allowance.bookedUntil()) - admitted;
			if (Math.min(places, starts) > 0) {
				counts.put(key, Math.min(places, starts));
			}
			Duration untilStart = rule.untilNext(allowance.bookedUntil());
			// If some may start now, their claim says when to look again.
			Duration wait = (starts < places && !untilStart.isZero()) ? untilStart : null;
			if (wait != null) {
				this.allowances.lookAt(rule, allowance, wait);
			}
			else {
				this.allowances.lookNoMore(allowance);
			}
			next = sooner(next, wait);
		}
		int ready = makeReady(counts, left);
		return new Settled(ready, left, next);
	}

	private int makeReady(Map<LimitKey, Integer> counts, Set<LimitKey> left) {
		if (counts.isEmpty()) {
			return 0;
		}
		List<KeyedRows.Row> places = this.waiting.first(counts);
		WaitForPlace.Moved moved = this.waiting.ready(places);
		Map<Long, LimitKey> keys = new HashMap<>();
		Map<Long, Long> fences = new HashMap<>();
		for (KeyedRows.Row place : places) {
			Long fence = moved.fences().get(place.job());
			if (fence != null) {
				keys.put(place.job(), place.key());
				// One more by this move, and one more by the claim.
				fences.put(place.job(), fence + 2);
			}
			else {
				left.add(place.key());
			}
		}
		this.holders.add(keys, fences);
		return keys.size();
	}

	private static @Nullable Duration sooner(@Nullable Duration one, @Nullable Duration other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		return (one.compareTo(other) < 0) ? one : other;
	}

}
