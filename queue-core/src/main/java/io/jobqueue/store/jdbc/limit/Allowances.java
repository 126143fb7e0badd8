package io.jobqueue.store.jdbc.limit;

import java.sql.ResultSet;
import java.sql.SQLException;
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
import io.jobqueue.store.LimitKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DuplicateKeyException;

/**
 * The rows of allowances, whose locks decide who may let jobs start. None is waited for:
 * whoever has one is about to claim, and the next look comes soon. So none is added in a
 * transaction that goes on: another one would have to wait for the end of that.
 */
public final class Allowances {

	private static final Logger log = LoggerFactory.getLogger(Allowances.class);

	private static final LocalDateTime UNREADABLE = LocalDateTime.of(1970, 1, 1, 0, 0);

	private static final String LOCK = """
			SELECT a.limit_id, a.limit_key, a.booked_until,
			    CASE WHEN EXISTS (SELECT 1
			                      FROM jobqueue_limit_place p{byPrimary}
			                      WHERE p.limit_id = a.limit_id AND p.limit_key = a.limit_key)
			        THEN 1 ELSE 0 END AS any_wait,
			    CASE WHEN NOT {unreadable a.look_at} THEN a.look_at END AS look_at
			FROM jobqueue_allowance a{byPrimary}
			WHERE a.limit_id = :limit AND a.limit_key IN (:keys)
			{lockOrWait}""";

	private static final String THERE = """
			SELECT limit_key FROM jobqueue_allowance{byPrimary} WHERE limit_id = :limit AND limit_key IN (:keys)""";

	private static final String DUE = """
			SELECT limit_id, limit_key FROM jobqueue_allowance{byLook} WHERE look_at <= {now}
			ORDER BY look_at
			LIMIT :limit
			{lockOrWait}""";

	private static final String ADDED = " (?, ?, {now})";

	private static final String SAVED = " (?, ?, GREATEST(?, "
			+ "1000 * TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', {now}) + ?) + ?, ?, {now})";

	private final Database database;

	public Allowances(Database database) {
		this.database = database;
	}

	/**
	 * Locks allowances.
	 * @param keys which ones
	 */
	public Locked lock(Collection<LimitKey> keys) {
		Locked locked = new Locked(new TreeMap<>(), new TreeSet<>());
		byLimit(keys).forEach((limit, ofLimit) -> Chunks.of(ofLimit).forEach((chunk) -> lock(limit, chunk, locked)));
		return locked;
	}

	private void lock(int limit, List<String> keys, Locked locked) {
		this.database.sql(LOCK)
			.param("limit", limit)
			.param("keys", keys)
			.query((row, number) -> read(row))
			.list()
			.forEach((allowance) -> locked.rows().put(allowance.key(), allowance));
		List<String> others = keys.stream()
			.filter((key) -> !locked.rows().containsKey(new LimitKey(limit, key)))
			.toList();
		if (!others.isEmpty()) {
			Set<String> there = there(limit, others);
			others.stream()
				.filter((key) -> !there.contains(key))
				.forEach((key) -> locked.missing().add(new LimitKey(limit, key)));
		}
	}

	private Allowance read(ResultSet row) throws SQLException {
		LocalDateTime lookAt = row.getObject("look_at", LocalDateTime.class);
		return new Allowance(
				new LimitKey(row.getInt("limit_id"), this.database.dialect().name(row.getString("limit_key"))),
				row.getLong("booked_until"), row.getInt("any_wait") == 1, (lookAt != null) ? lookAt : UNREADABLE);
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

	/**
	 * Adds allowances, outside of any transaction of the queue's own.
	 * @param keys those that are missing
	 */
	public void add(Collection<LimitKey> keys) {
		// In one order everywhere.
		for (List<LimitKey> chunk : Chunks.of(List.copyOf(new TreeSet<>(keys)))) {
			List<Object> values = new ArrayList<>(2 * chunk.size());
			chunk.forEach((key) -> values.addAll(List.of(key.limitId(), key.key())));
			String statement = statement("{allowancesStart}", ADDED, chunk.size(), " {allowancesEnd}");
			try {
				this.database.transactions()
					.runOneStatement(() -> this.database.template().update(statement, values.toArray()));
			}
			catch (DuplicateKeyException ex) {
				// On H2, if another one adds a key of these. The rest is added next time.
				log.debug("Others add the same allowances", ex);
			}
		}
	}

	/**
	 * The allowances whose time to be looked at has come, but for those that somebody has
	 * locked.
	 */
	List<LimitKey> due(int limit) {
		return this.database.transactions()
			.run(() -> this.database.sql(DUE)
				.param("limit", limit)
				.query((row, number) -> new LimitKey(row.getInt(1), this.database.dialect().name(row.getString(2))))
				.list());
	}

	/**
	 * Writes allowances that are locked.
	 */
	public void save(List<Booking> bookings) {
		for (List<Booking> chunk : Chunks.of(bookings)) {
			List<Object> values = new ArrayList<>(6 * chunk.size());
			chunk.forEach((one) -> values.addAll(List.of(one.key().limitId(), one.key().key(), one.used(),
					one.fromNow(), one.more(), one.lookAt())));
			this.database.template()
				.update(statement("{bookingsStart}", SAVED, chunk.size(), " {bookingsEnd}"), values.toArray());
		}
	}

	private String statement(String start, String row, int rows, String end) {
		String one = this.database.constant(row);
		return this.database.constant(start) + one + ("," + one).repeat(rows - 1) + this.database.constant(end);
	}

	private static Map<Integer, List<String>> byLimit(Collection<LimitKey> keys) {
		return new TreeSet<>(keys).stream()
			.collect(Collectors.groupingBy(LimitKey::limitId, TreeMap::new,
					Collectors.mapping(LimitKey::key, Collectors.toList())));
	}

	/**
	 * What has become of a look at allowances.
	 *
	 * @param rows those that are locked now
	 * @param missing those that are not there. The others are locked by somebody else
	 */
	public record Locked(Map<LimitKey, Allowance> rows, Set<LimitKey> missing) {

		/**
		 * Whether somebody else has locked one.
		 * @param key one of those that were asked for
		 */
		public boolean isLockedByOthers(LimitKey key) {
			return !this.rows.containsKey(key) && !this.missing.contains(key);
		}

	}

}
