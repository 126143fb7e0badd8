package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitPauses;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.jdbc.limit.Allowance;
import io.jobqueue.store.jdbc.limit.Allowances;
import io.jobqueue.store.jdbc.limit.Holders;
import io.jobqueue.store.jdbc.limit.Rule;
import io.jobqueue.store.jdbc.limit.Rules;
import io.jobqueue.store.jdbc.limit.WaitForPlace;
import io.jobqueue.store.jdbc.table.LimitedTypes;

/**
 * Keeps claims within limits. Whoever claims jobs of a limit has locked its allowance
 * before it counts, so no two claims count at once.
 */
public final class ClaimLimits {

	/** Other nodes tell nobody that a job of theirs has ended. */
	private static final Duration FULL = Duration.ofMillis(100);

	/** As long as a claim takes. */
	private static final Duration LOCKED = Duration.ofMillis(5);

	private static final String KEYS = """
			SELECT id, COALESCE(limit_key, '') FROM jobqueue_job{byPrimary} WHERE id IN (:ids)""";

	private static final String MOVE = """
			UPDATE jobqueue_job{byPrimary} SET type_id = :type, fence = LEAST(fence, 9223372036854775000) + 1
			WHERE id IN (:ids)""";

	private final Database database;

	private final LimitedTypes types;

	private final Allowances allowances;

	private final Rules rules;

	private final Holders holders;

	private final WaitForPlace waiting;

	public ClaimLimits(Database database, LimitedTypes types) {
		this.database = database;
		this.types = types;
		this.allowances = new Allowances(database);
		this.rules = new Rules(database);
		this.holders = new Holders(database);
		this.waiting = new WaitForPlace(database);
	}

	LimitedTypes types() {
		return this.types;
	}

	Allowances allowances() {
		return this.allowances;
	}

	Rules rules() {
		return this.rules;
	}

	Holders holders() {
		return this.holders;
	}

	WaitForPlace waiting() {
		return this.waiting;
	}

	/**
	 * Begins a claim, in the transaction that is open: locks the shared allowances of the
	 * limits, and counts what is left of them.
	 * @param ranges from which ranges it is to take jobs
	 * @param pauses is told of limits of which nothing is left
	 */
	LimitedClaim open(List<ReadyRange> ranges, LimitPauses pauses) {
		Set<Integer> shared = ranges.stream()
			.filter((range) -> range.limitId() != 0 && !range.isOfLimitKeys())
			.map(ReadyRange::limitId)
			.collect(Collectors.toSet());
		Map<Integer, SharedAllowance> left = shared.isEmpty() ? Map.of() : count(shared, pauses);
		List<ReadyRange> open = ranges.stream()
			.filter((range) -> range.limitId() == 0 || range.isOfLimitKeys()
					|| (left.containsKey(range.limitId()) && left.get(range.limitId()).left() > 0))
			.toList();
		return new LimitedClaim(this, open, left, pauses);
	}

	private Map<Integer, SharedAllowance> count(Set<Integer> limits, LimitPauses pauses) {
		Map<LimitKey, Allowance> locked = this.allowances.lock(limits.stream().map(LimitKey::shared).toList());
		limits.stream()
			.filter((limit) -> !locked.containsKey(LimitKey.shared(limit)))
			.forEach((limit) -> pauses.full(limit, LOCKED));
		if (locked.isEmpty()) {
			return Map.of();
		}
		Map<Integer, Rule> rules = this.rules
			.read(locked.keySet().stream().map(LimitKey::limitId).collect(Collectors.toSet()));
		Map<Integer, Integer> running = this.rules.running(rules.values());
		Map<Integer, SharedAllowance> left = new HashMap<>();
		rules.forEach((id, rule) -> {
			Allowance allowance = locked.get(LimitKey.shared(id));
			if (allowance != null) {
				int places = rule.running() - running.getOrDefault(id, 0);
				int starts = rule.startsLeft(allowance.bookedUntil());
				if (places <= 0) {
					pauses.full(id, FULL);
				}
				else if (starts <= 0) {
					pauses.spent(id, rule.untilSome(allowance.bookedUntil()));
				}
				left.put(id, new SharedAllowance(rule, allowance, Math.min(places, starts)));
			}
		});
		return left;
	}

	/**
	 * Whether a job stands in the range of all types although its own has a limit.
	 */
	boolean isMisplaced(Candidate job) {
		return job.job().range().isOfAnyType() && this.types.contains(job.job().type());
	}

	/**
	 * Moves ready jobs of limited types, locked, to their own ranges.
	 */
	void move(List<Candidate> jobs) {
		Map<Long, String> keys = keys(jobs);
		Map<Integer, List<Long>> byRange = jobs.stream()
			.collect(Collectors.groupingBy((job) -> this.types.rangeOf(job.job().type(), keys.get(job.id())),
					Collectors.mapping(Candidate::id, Collectors.toList())));
		byRange.forEach((range, ids) -> Chunks.of(ids)
			.forEach((chunk) -> this.database.numbers(MOVE).param("type", range).ids(chunk).update()));
	}

	/**
	 * The limit keys of jobs.
	 * @return the keys by job; none for jobs that have none
	 */
	Map<Long, String> keys(List<Candidate> jobs) {
		Map<Long, String> keys = new HashMap<>();
		for (List<Long> chunk : Chunks.of(new ArrayList<>(jobs.stream().map(Candidate::id).toList()))) {
			this.database.numbers(KEYS)
				.ids(chunk)
				.query((row, number) -> keys.put(row.getLong(1), this.database.dialect().name(row.getString(2))));
		}
		keys.values().removeIf(String::isEmpty);
		return keys;
	}

	/**
	 * What is left of a limit for jobs without a key.
	 *
	 * @param rule the limit's rule
	 * @param allowance the allowance, locked
	 * @param left how many jobs may start now
	 */
	record SharedAllowance(Rule rule, Allowance allowance, int left) {

	}

}
