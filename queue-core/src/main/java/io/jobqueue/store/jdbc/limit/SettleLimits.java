package io.jobqueue.store.jdbc.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
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

	/** Of one key: no more jobs are made ready in one transaction. */
	private static final int MOST_OF_KEY = 500;

	/**
	 * Of all keys together: jobs behind which others wait, since their queues are paused.
	 */
	private static final int MOST_PASSED_OVER = 500;

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
		Set<LimitKey> missing = new HashSet<>();
		Settled settled = this.database.transactions().run(() -> {
			missing.clear();
			Allowances.Locked locked = this.allowances.lock(keys);
			missing.addAll(locked.missing());
			return settle(keys, locked.rows());
		});
		this.allowances.add(missing);
		return settled;
	}

	private Settled settle(Collection<LimitKey> keys, Map<LimitKey, Allowance> locked) {
		Set<LimitKey> left = keys.stream()
			.filter((key) -> !locked.containsKey(key))
			.collect(Collectors.toCollection(HashSet::new));
		List<Allowance> waited = locked.values().stream().filter(Allowance::anyWait).toList();
		List<Booking> bookings = new ArrayList<>();
		locked.values()
			.stream()
			.filter((allowance) -> !allowance.anyWait() && allowance.isLookedAt())
			.forEach((allowance) -> bookings.add(allowance.lookNoMore()));
		Settled settled = waited.isEmpty() ? new Settled(0, 0, left, null) : settle(waited, bookings, left);
		this.allowances.save(bookings);
		return settled;
	}

	private Settled settle(List<Allowance> locked, List<Booking> bookings, Set<LimitKey> left) {
		Set<LimitKey> keys = locked.stream().map(Allowance::key).collect(Collectors.toSet());
		Map<Integer, Rule> byId = this.rules.read(keys.stream().map(LimitKey::limitId).collect(Collectors.toSet()));
		Map<LimitKey, Holders.OfKey> held = this.holders.read(keys);
		Map<LimitKey, Integer> counts = new TreeMap<>();
		Duration next = null;
		int passing = MOST_PASSED_OVER;
		for (Allowance allowance : locked) {
			LimitKey key = allowance.key();
			Rule rule = byId.get(key.limitId());
			Duration wait = null;
			if (rule == null) {
				counts.put(key, MOST_OF_KEY);
			}
			else {
				Holders.OfKey ofKey = held.getOrDefault(key, Holders.OfKey.none());
				int admitted = ofKey.lately().size();
				int places = Math.min(rule.running() - ofKey.running() - admitted, MOST_OF_KEY);
				int starts = rule.startsLeft(allowance.bookedUntil()) - admitted;
				if (Math.min(places, starts) > 0) {
					int passedOver = Math.min(ofKey.paused(), passing);
					passing -= passedOver;
					counts.put(key, Math.min(Math.min(places, starts) + passedOver, MOST_OF_KEY));
				}
				Duration untilStart = rule.untilNext(allowance.bookedUntil());
				// If some may start now, their claim says when to look again.
				wait = (starts < places && !untilStart.isZero()) ? untilStart : null;
			}
			if (wait != null && rule != null) {
				bookings.add(rule.book(allowance, 0, wait));
				next = sooner(next, wait);
			}
			else if (allowance.isLookedAt()) {
				bookings.add(allowance.lookNoMore());
			}
		}
		FillPlaces.Filled filled = new FillPlaces(this.waiting, this.holders, counts).fill();
		left.addAll(filled.left());
		return new Settled(filled.ready(), filled.tidied(), left, next);
	}

	private static @Nullable Duration sooner(@Nullable Duration one, @Nullable Duration other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		return (one.compareTo(other) < 0) ? one : other;
	}

}
