package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;

/**
 * Keeps claims within limits. Whoever claims jobs of a limit has locked its allowance
 * before it counts, so no two claims count at once.
 */
public final class ClaimLimits {

	private static final Logger log = LoggerFactory.getLogger(ClaimLimits.class);

	/** Other nodes tell nobody that a job of theirs has ended. */
	private static final Duration FULL = Duration.ofMillis(100);

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

	private final LockedForLong lockedByOthers;

	public ClaimLimits(Database database, LimitedTypes types, LongSupplier nanoTime) {
		this.database = database;
		this.types = types;
		this.allowances = new Allowances(database);
		this.rules = new Rules(database);
		this.holders = new Holders(database);
		this.waiting = new WaitForPlace(database);
		this.lockedByOthers = new LockedForLong(nanoTime);
	}

	LimitedTypes types() {
		return this.types;
	}

	Allowances allowances() {
		return this.allowances;
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
	 * @param claim the claim's transaction
	 */
	LimitedClaim open(List<ReadyRange> ranges, ClaimTransaction claim) {
		Set<Integer> shared = ranges.stream()
			.filter((range) -> range.limitId() != 0 && !range.isOfLimitKeys())
			.map(ReadyRange::limitId)
			.collect(Collectors.toSet());
		Map<Integer, SharedAllowance> left = shared.isEmpty() ? Map.of() : count(shared, claim);
		List<ReadyRange> open = ranges.stream()
			.filter((range) -> range.limitId() == 0 || range.isOfLimitKeys()
					|| (left.containsKey(range.limitId()) && left.get(range.limitId()).left() > 0))
			.toList();
		return new LimitedClaim(this, open, left);
	}

	private Map<Integer, SharedAllowance> count(Set<Integer> limits, ClaimTransaction claim) {
		LimitPauses pauses = claim.request().limits();
		Allowances.Locked looked = this.allowances.lock(limits.stream().map(LimitKey::shared).toList());
		Map<LimitKey, Allowance> locked = looked.rows();
		addOnCommit(looked.missing(), claim);
		limits.stream()
			.map(LimitKey::shared)
			.forEach((key) -> this.lockedByOthers.note(key, looked.isLockedByOthers(key)));
		limits.stream()
			.filter((limit) -> !locked.containsKey(LimitKey.shared(limit)))
			.forEach((limit) -> pauses.full(limit, this.lockedByOthers.pause(LimitKey.shared(limit))));
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
	 * Locks the allowances of limit keys, and reads who has their places.
	 * @return the keys, but for those that somebody else has locked, or whose limit is
	 * gone
	 */
	Map<LimitKey, KeyAllowance> lock(Set<LimitKey> keys, ClaimTransaction claim) {
		Allowances.Locked looked = this.allowances.lock(keys);
		addOnCommit(looked.missing(), claim);
		keys.forEach((key) -> this.lockedByOthers.note(key, looked.isLockedByOthers(key)));
		if (looked.rows().isEmpty()) {
			return Map.of();
		}
		Map<Integer, Rule> rules = this.rules
			.read(looked.rows().keySet().stream().map(LimitKey::limitId).collect(Collectors.toSet()));
		Map<LimitKey, Holders.OfKey> holders = this.holders.read(looked.rows().keySet());
		Map<LimitKey, KeyAllowance> locked = new TreeMap<>();
		looked.rows().forEach((key, allowance) -> {
			Rule rule = rules.get(key.limitId());
			Holders.OfKey ofKey = holders.get(key);
			if (rule != null && ofKey != null) {
				locked.put(key, new KeyAllowance(rule, allowance, ofKey));
			}
		});
		return locked;
	}

	/**
	 * Not in the claim's transaction: another claim would have to wait for its end.
	 */
	private void addOnCommit(Set<LimitKey> missing, ClaimTransaction claim) {
		if (!missing.isEmpty()) {
			claim.lookAgain();
			claim.onCommit(() -> {
				try {
					this.allowances.add(missing);
				}
				catch (DataAccessException ex) {
					log.warn("Allowances of limits cannot be added, so that their jobs wait until the next claim: {}",
							ex.toString());
				}
			});
		}
	}

	/**
	 * Whether no limit is known, and jobs need not be looked at.
	 */
	boolean isUnused() {
		return this.types.names().isEmpty();
	}

	/**
	 * Whether a job stands in the range of all types, or of another one, although its own
	 * type has a limit.
	 */
	boolean isMisplaced(Candidate job) {
		Integer id = this.types.idOf(job.job().type());
		return id != null && Math.abs(job.job().range().typeId()) != id;
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
