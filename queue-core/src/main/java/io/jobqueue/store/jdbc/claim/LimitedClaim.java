package io.jobqueue.store.jdbc.claim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitPauses;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.jdbc.claim.ClaimLimits.SharedAllowance;
import io.jobqueue.store.jdbc.limit.Booking;
import io.jobqueue.store.jdbc.limit.Rule;

/**
 * What one claim may take of limits. Jobs that stand in the range of all types although
 * theirs has a limit go to ranges of their own; those whose limit key has no place wait.
 * Neither takes the room of others: the claim looks for more behind them.
 */
final class LimitedClaim {

	/** Of one range. Each looks further than the one before. */
	private static final int MOST_LOOKS = 6;

	/** How many jobs to look at, at least, once some were not to be taken. */
	private static final int MORE = 100;

	/** So that a backlog that is to be moved costs other jobs little time. */
	private static final int MOST_MOVED = 200;

	private final ClaimLimits limits;

	private final List<ReadyRange> ranges;

	private final Map<Integer, SharedAllowance> shared;

	private final Map<ReadyRange, FoundInRange> found = new HashMap<>();

	/** The limit keys of the jobs that may be taken. */
	private final Map<Long, LimitKey> keys = new HashMap<>();

	private final KeyAllowances allowances;

	private int moved;

	LimitedClaim(ClaimLimits limits, List<ReadyRange> ranges, Map<Integer, SharedAllowance> shared) {
		this.limits = limits;
		this.ranges = ranges;
		this.shared = shared;
		this.allowances = new KeyAllowances(limits);
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
	 * How many jobs have left their ranges.
	 */
	int moved() {
		return this.moved;
	}

	/**
	 * Finds the next jobs of a range that may be taken. Asked again for the same range it
	 * begins with the same jobs.
	 * @param range the range
	 * @param limit how many at most
	 * @param claim the claim's transaction
	 * @param taking finds jobs, and locks those that are to be changed
	 */
	List<Candidate> find(ReadyRange range, int limit, ClaimTransaction claim, TakeJobs.Taking taking) {
		if (range.limitId() == 0 && this.limits.isUnused()) {
			return ClaimJobs.named(range, taking.find(range, limit));
		}
		FoundInRange ofRange = this.found.computeIfAbsent(range, (key) -> new FoundInRange());
		int ask = limit + ofRange.passed().size();
		for (int look = 1; look <= mostLooks(range) && ofRange.allowed().size() < limit; look++) {
			List<Candidate> jobs = ClaimJobs.named(range, taking.find(range, ask));
			int before = this.moved + ofRange.passed().size();
			sortOut(range, ofRange, jobs.stream().filter(ofRange::isNew).toList(), limit, claim, taking);
			// A missing allowance is there for the next claim, which follows at once.
			if (jobs.size() < ask || this.moved + ofRange.passed().size() == before || claim.isToLookAgain()) {
				break;
			}
			ask = Math.max(2 * ask, MORE);
		}
		return ofRange.first(limit);
	}

	/**
	 * What was moved elsewhere keeps no range from being looked at. Behind misplaced jobs
	 * there may be others, which have no limit.
	 */
	private int mostLooks(ReadyRange range) {
		if (this.moved < MOST_MOVED) {
			return MOST_LOOKS;
		}
		return (range.limitId() == 0) ? 2 : 1;
	}

	private void sortOut(ReadyRange range, FoundInRange ofRange, List<Candidate> jobs, int limit,
			ClaimTransaction claim, TakeJobs.Taking taking) {
		List<Candidate> misplaced = new ArrayList<>();
		List<Candidate> withKeys = new ArrayList<>();
		for (Candidate job : jobs) {
			if (job.canRun() && this.limits.isMisplaced(job)) {
				misplaced.add(job);
			}
			else if (job.canRun() && range.limitId() != 0 && range.isOfLimitKeys()) {
				withKeys.add(job);
			}
			else {
				ofRange.allowed().put(job.id(), job);
			}
		}
		Map<Candidate, LimitKey> waiting = new LinkedHashMap<>();
		if (!withKeys.isEmpty()) {
			decide(withKeys, limit, ofRange, misplaced, waiting, claim);
		}
		if (!waiting.isEmpty()) {
			Map<Long, LimitKey> held = new HashMap<>();
			hold(List.copyOf(waiting.keySet()), ofRange, claim, taking)
				.forEach((job) -> held.put(job.id(), waiting.get(job)));
			this.limits.waiting().add(held);
		}
		if (!misplaced.isEmpty()) {
			this.limits.move(hold(misplaced, ofRange, claim, taking));
		}
	}

	private List<Candidate> hold(List<Candidate> jobs, FoundInRange ofRange, ClaimTransaction claim,
			TakeJobs.Taking taking) {
		List<Candidate> held = taking.hold(jobs);
		held.forEach((job) -> claim.settled(job.id()));
		this.moved += held.size();
		if (held.size() < jobs.size()) {
			jobs.forEach((job) -> ofRange.passed().add(job.id()));
			held.forEach((job) -> ofRange.passed().remove(job.id()));
		}
		return held;
	}

	/**
	 * Lets jobs with limit keys be taken, or wait. Where there is no room for them in
	 * this claim, nothing is decided.
	 */
	private void decide(List<Candidate> jobs, int limit, FoundInRange ofRange, List<Candidate> misplaced,
			Map<Candidate, LimitKey> waiting, ClaimTransaction claim) {
		Map<Long, String> names = this.limits.keys(jobs);
		Map<Candidate, LimitKey> keyed = new LinkedHashMap<>();
		for (Candidate job : jobs) {
			String name = names.get(job.id());
			if (name != null) {
				keyed.put(job, new LimitKey(job.job().range().limitId(), name));
			}
			else {
				// Another program has put it there.
				misplaced.add(job);
			}
		}
		this.allowances.lock(keyed, claim);
		keyed.forEach((job, key) -> {
			KeyAllowance allowance = this.allowances.of(key);
			if (allowance == null) {
				ofRange.passed().add(job.id());
			}
			else if (!allowance.mayStart(job.id())) {
				allowance.letWait(job.id());
				waiting.put(job, key);
			}
			else if (ofRange.allowed().size() < limit) {
				allowance.allow(job.id());
				this.keys.put(job.id(), key);
				ofRange.allowed().put(job.id(), job);
			}
		});
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
		book(starts, claim);
		if (this.moved > 0) {
			claim.onCommit(claim.request().limits()::moved);
		}
		return places.isEmpty() ? jobs : jobs.stream().map((job) -> {
			LimitKey key = places.get(job.claim().id());
			return (key != null) ? job.withLimitKey(key.key()) : job;
		}).toList();
	}

	private void book(Map<LimitKey, Integer> starts, ClaimTransaction claim) {
		LimitPauses pauses = claim.request().limits();
		List<Booking> bookings = new ArrayList<>();
		this.shared.forEach((limit, left) -> {
			int started = starts.getOrDefault(LimitKey.shared(limit), 0);
			Rule rule = left.rule();
			if (started > 0 && rule.limitsStarts()) {
				bookings.add(rule.book(left.allowance(), started, null));
				long booked = rule.booked(left.allowance().bookedUntil(), started);
				if (started >= left.left() && rule.startsLeft(booked) <= 0) {
					claim.onCommit(() -> pauses.spent(limit, rule.untilSome(booked)));
				}
			}
		});
		this.allowances.book(starts, bookings, claim);
		this.limits.allowances().save(bookings);
	}

}
