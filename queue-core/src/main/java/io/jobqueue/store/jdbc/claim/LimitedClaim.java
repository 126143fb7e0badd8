package io.jobqueue.store.jdbc.claim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitPauses;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.jdbc.claim.ClaimLimits.SharedAllowance;
import io.jobqueue.store.jdbc.limit.Allowance;
import io.jobqueue.store.jdbc.limit.Holders;
import io.jobqueue.store.jdbc.limit.Rule;

/**
 * What one claim may take of limits. Jobs that stand in the range of all types although
 * theirs has a limit go to ranges of their own; those whose limit key has no place wait.
 */
final class LimitedClaim {

	private final ClaimLimits limits;

	private final List<ReadyRange> ranges;

	private final Map<Integer, SharedAllowance> shared;

	private final LimitPauses pauses;

	/** Of the jobs that may be taken. */
	private final Map<Long, LimitKey> keys = new HashMap<>();

	private final Map<LimitKey, Allowance> locked = new TreeMap<>();

	private Map<Integer, Rule> rules = Map.of();

	/** Keys of which jobs wait that may start when time has passed. */
	private final Set<LimitKey> late = new TreeSet<>();

	private final Set<LimitKey> freed = new HashSet<>();

	LimitedClaim(ClaimLimits limits, List<ReadyRange> ranges, Map<Integer, SharedAllowance> shared,
			LimitPauses pauses) {
		this.limits = limits;
		this.ranges = ranges;
		this.shared = shared;
		this.pauses = pauses;
	}

	/**
	 * From which ranges it may take jobs.
	 */
	List<ReadyRange> ranges() {
		return this.ranges;
	}

	/**
	 * How many jobs of a limit it may take, by the limit's number; any number of one that
	 * is not there.
	 */
	Map<Integer, Integer> rooms() {
		return this.shared.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (entry) -> entry.getValue().left()));
	}

	/**
	 * Sorts out jobs that may not be taken.
	 * @param found jobs that can run
	 * @param taking locks those that are to be changed
	 */
	Allowed allow(List<Candidate> found, TakeJobs.Taking taking) {
		List<Candidate> allowed = new ArrayList<>(found.size());
		List<Candidate> misplaced = new ArrayList<>();
		List<Candidate> withKeys = new ArrayList<>();
		for (Candidate job : found) {
			ReadyRange range = job.job().range();
			if (this.limits.isMisplaced(job)) {
				misplaced.add(job);
			}
			else if (range.limitId() != 0 && range.isOfLimitKeys()) {
				withKeys.add(job);
			}
			else {
				allowed.add(job);
			}
		}
		int moved = 0;
		if (!withKeys.isEmpty()) {
			Map<Candidate, LimitKey> waiting = new LinkedHashMap<>();
			allowed.addAll(withPlaces(withKeys, misplaced, waiting));
			moved += letWait(waiting, taking);
		}
		if (!misplaced.isEmpty()) {
			List<Candidate> held = taking.hold(misplaced);
			this.limits.move(held);
			moved += held.size();
		}
		return new Allowed(allowed, moved);
	}

	/**
	 * Those that may start. Jobs of a key come in their turn: as long as some wait, only
	 * such as have been given a place already.
	 */
	private List<Candidate> withPlaces(List<Candidate> jobs, List<Candidate> misplaced,
			Map<Candidate, LimitKey> waiting) {
		Map<Long, String> names = this.limits.keys(jobs);
		Map<LimitKey, List<Candidate>> byKey = new TreeMap<>();
		for (Candidate job : jobs) {
			String name = names.get(job.id());
			if (name == null) {
				// Another program has put it there.
				misplaced.add(job);
				continue;
			}
			byKey.computeIfAbsent(new LimitKey(job.job().range().limitId(), name), (key) -> new ArrayList<>()).add(job);
		}
		this.locked.putAll(this.limits.allowances().lock(byKey.keySet()));
		if (this.locked.isEmpty()) {
			return List.of();
		}
		this.rules = this.limits.rules()
			.read(this.locked.keySet().stream().map(LimitKey::limitId).collect(Collectors.toSet()));
		Map<LimitKey, Holders.OfKey> holders = this.limits.holders().read(this.locked.keySet());
		Set<Long> allowed = new HashSet<>();
		this.locked.forEach((key, allowance) -> {
			Rule rule = this.rules.get(key.limitId());
			Holders.OfKey ofKey = holders.get(key);
			if (rule != null && ofKey != null) {
				decide(byKey.getOrDefault(key, List.of()), allowance, rule, ofKey, waiting)
					.forEach((job) -> allowed.add(job.id()));
			}
		});
		return jobs.stream().filter((job) -> allowed.contains(job.id())).toList();
	}

	private List<Candidate> decide(List<Candidate> jobs, Allowance allowance, Rule rule, Holders.OfKey holders,
			Map<Candidate, LimitKey> waiting) {
		LimitKey key = allowance.key();
		int places = rule.running() - holders.running();
		int starts = rule.startsLeft(allowance.bookedUntil());
		long admitted = jobs.stream().filter((job) -> holders.admitted().contains(job.id())).count();
		// Places that are given to ready jobs which this claim has not found.
		Set<Long> kept = new HashSet<>(holders.lately());
		jobs.forEach((job) -> kept.remove(job.id()));
		List<Candidate> allowed = new ArrayList<>();
		for (Candidate job : jobs) {
			boolean hasPlace = holders.admitted().contains(job.id());
			long left = Math.min(places, starts) - allowed.size();
			boolean may = hasPlace ? left > 0 : !allowance.anyWait() && left > kept.size() + admitted;
			if (may) {
				allowed.add(job);
				this.keys.put(job.id(), key);
				admitted -= hasPlace ? 1 : 0;
			}
			else {
				waiting.put(job, key);
			}
		}
		if (starts <= allowed.size() && (allowance.anyWait() || allowed.size() < jobs.size())) {
			this.late.add(key);
		}
		if (allowed.size() < jobs.size() && Math.min(places, starts) > allowed.size()) {
			// Others wait, for whom there is a place.
			this.freed.add(key);
		}
		return allowed;
	}

	private int letWait(Map<Candidate, LimitKey> waiting, TakeJobs.Taking taking) {
		Map<Long, LimitKey> held = new HashMap<>();
		taking.hold(List.copyOf(waiting.keySet())).forEach((job) -> held.put(job.id(), waiting.get(job)));
		this.limits.waiting().add(held);
		return held.size();
	}

	/**
	 * Notes what was taken.
	 * @param jobs jobs that are claimed
	 * @param claim the claim's transaction
	 * @return the same, with their limit keys
	 */
	List<ClaimedJob> taken(List<ClaimedJob> jobs, ClaimTransaction claim) {
		Map<Long, LimitKey> places = new HashMap<>();
		Map<Long, Long> fences = new HashMap<>();
		Map<LimitKey, Integer> starts = new HashMap<>();
		for (ClaimedJob job : jobs) {
			int limit = job.range().limitId();
			if (limit != 0) {
				LimitKey key = this.keys.getOrDefault(job.claim().id(), LimitKey.shared(limit));
				starts.merge(key, 1, Integer::sum);
				if (!key.key().isEmpty()) {
					places.put(job.claim().id(), key);
					fences.put(job.claim().id(), job.claim().fence());
				}
			}
		}
		this.limits.holders().add(places, fences);
		this.shared.forEach((limit, left) -> book(left, starts.getOrDefault(LimitKey.shared(limit), 0)));
		this.locked.forEach((key, allowance) -> {
			Rule rule = this.rules.get(key.limitId());
			if (rule != null) {
				long booked = this.limits.allowances().book(rule, allowance, starts.getOrDefault(key, 0));
				if (this.late.contains(key)) {
					this.limits.allowances().lookAt(rule, allowance, rule.untilSome(booked));
				}
			}
		});
		claim.onCommit(() -> this.freed.forEach(this.pauses::freed));
		return places.isEmpty() ? jobs : jobs.stream().map((job) -> {
			LimitKey key = places.get(job.claim().id());
			return (key != null) ? job.withLimitKey(key.key()) : job;
		}).toList();
	}

	private void book(SharedAllowance left, int starts) {
		long booked = this.limits.allowances().book(left.rule(), left.allowance(), starts);
		if (starts > 0 && starts >= left.left() && left.rule().startsLeft(booked) <= 0) {
			this.pauses.spent(left.rule().id(), left.rule().untilSome(booked));
		}
	}

	/**
	 * What may be taken.
	 *
	 * @param jobs the jobs
	 * @param moved how many of the others have been moved, so that another look may find
	 * more
	 */
	record Allowed(List<Candidate> jobs, int moved) {

	}

}
