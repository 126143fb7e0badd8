package io.jobqueue.store.jdbc.limit;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.LimitKey;

/**
 * The rows of allowances, whose locks decide who may let jobs start. None is waited for:
 * whoever has one is about to claim, and the next look comes soon.
 */
public final class Allowances {

	private static final LocalDateTime NEVER = LocalDateTime.of(9999, 12, 31, 0, 0);

	private static final String LOCK = """
			SELECT a.limit_id, a.limit_key, a.booked_until,
			    CASE WHEN EXISTS (SELECT 1
			                      FROM jobqueue_limit_place p{byPrimary}
			                      WHERE p.limit_id = a.limit_id AND p.limit_key = a.limit_key)
			        THEN 1 ELSE 0 END AS any_wait,
			    CASE WHEN a.look_at < '9999-12-31 00:00:00' THEN 1 ELSE 0 END AS looked_at
			FROM jobqueue_allowance a{byPrimary}
			WHERE a.limit_id = :limit AND a.limit_key IN (:keys)
			{lockOrWait}""";

	private static final String THERE = """
			SELECT limit_key FROM jobqueue_allowance{byPrimary} WHERE limit_id = :limit AND limit_key IN (:keys)""";

	private static final String DUE = """
			SELECT limit_id, limit_key FROM jobqueue_allowance{byLook} WHERE look_at <= {now} ORDER BY look_at LIMIT :limit""";

	private static final String BOOK = """
			UPDATE jobqueue_allowance{byPrimary} SET booked_until = ?, changed_at = {now}
			WHERE limit_id = ? AND limit_key = ?""";

	private static final String LOOK_AT = """
			UPDATE jobqueue_allowance{byPrimary} SET look_at = ? WHERE limit_id = ? AND limit_key = ?""";

	private final Database database;

	public Allowances(Database database) {
		this.database = database;
	}

	/**
	 * Locks allowances, and adds those that are not there.
	 * @param keys which ones
	 * @return the rows, but for those that somebody else has locked
	 */
	public Map<LimitKey, Allowance> lock(Collection<LimitKey> keys) {
		Map<LimitKey, Allowance> rows = new TreeMap<>();
		Map<Integer, Set<String>> byLimit = new TreeMap<>();
		keys.forEach((key) -> byLimit.computeIfAbsent(key.limitId(), (id) -> new TreeSet<>()).add(key.key()));
		byLimit.forEach((limit, ofLimit) -> {
			for (List<String> chunk : Chunks.of(List.copyOf(ofLimit))) {
				lock(limit, chunk, rows);
			}
		});
		return rows;
	}

	private void lock(int limit, List<String> keys, Map<LimitKey, Allowance> rows) {
		lockThere(limit, keys, rows);
		List<String> missing = missing(limit, keys, rows);
		if (!missing.isEmpty()) {
			Set<String> lockedByOthers = there(limit, missing);
			List<String> added = missing.stream().filter((key) -> !lockedByOthers.contains(key)).toList();
			if (!added.isEmpty()) {
				// In one order everywhere: the only wait is for a row that another adds.
				add(limit, added);
				lockThere(limit, added, rows);
			}
		}
	}

	private static List<String> missing(int limit, List<String> keys, Map<LimitKey, Allowance> rows) {
		return keys.stream().filter((key) -> !rows.containsKey(new LimitKey(limit, key))).toList();
	}

	private void lockThere(int limit, List<String> keys, Map<LimitKey, Allowance> rows) {
		this.database.sql(LOCK)
			.param("limit", limit)
			.param("keys", keys)
			.query((row, number) -> new Allowance(
					new LimitKey(row.getInt("limit_id"), this.database.dialect().name(row.getString("limit_key"))),
					row.getLong("booked_until"), row.getInt("any_wait") == 1, row.getInt("looked_at") == 1))
			.list()
			.forEach((allowance) -> rows.put(allowance.key(), allowance));
	}

	private Set<String> there(int limit, List<String> keys) {
		return this.database.sql(THERE)
			.param("limit", limit)
			.param("keys", keys)
			.query((row, number) -> this.database.dialect().name(row.getString(1)))
			.list()
			.stream()
			.collect(Collectors.toCollection(HashSet::new));
	}

	private void add(int limit, List<String> keys) {
		List<Object> values = new ArrayList<>(2 * keys.size());
		keys.forEach((key) -> values.addAll(List.of(limit, key)));
		this.database.template()
			.update(this.database.constant("{allowancesStart}") + this.database
				.expand(" (?, ?, {now})" + ", (?, ?, {now})".repeat(keys.size() - 1) + " {allowancesEnd}"),
					values.toArray());
	}

	/**
	 * The allowances whose time to be looked at has come. A plain read.
	 */
	List<LimitKey> due(int limit) {
		return this.database.read(() -> this.database.sql(DUE)
			.param("limit", limit)
			.query((row, number) -> new LimitKey(row.getInt(1), this.database.dialect().name(row.getString(2))))
			.list());
	}

	/**
	 * Writes down starts.
	 * @param rule the rule of the limit
	 * @param allowance the allowance, locked
	 * @param starts how many jobs start
	 * @return up to when starts are used up now
	 */
	public long book(Rule rule, Allowance allowance, int starts) {
		if (!rule.limitsStarts() || starts == 0) {
			return allowance.bookedUntil();
		}
		long booked = rule.booked(allowance.bookedUntil(), starts);
		LimitKey key = allowance.key();
		this.database.template().update(this.database.constant(BOOK), booked, key.limitId(), key.key());
		return booked;
	}

	/**
	 * Writes down when a job that waits may start.
	 * @param rule the rule of the limit
	 * @param allowance the allowance, locked
	 * @param after how long from now
	 */
	public void lookAt(Rule rule, Allowance allowance, Duration after) {
		write(allowance.key(), Utc.of(Utc.instant(rule.now() / 1_000).plus(after)));
	}

	/**
	 * Writes down that it does not depend on time whether a job may start.
	 * @param allowance the allowance, locked
	 */
	void lookNoMore(Allowance allowance) {
		if (allowance.isLookedAt()) {
			write(allowance.key(), NEVER);
		}
	}

	private void write(LimitKey key, LocalDateTime lookAt) {
		this.database.template().update(this.database.constant(LOOK_AT), lookAt, key.limitId(), key.key());
	}

}
