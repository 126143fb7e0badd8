package io.jobqueue.store.jdbc.limit;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.jobqueue.Limit;
import io.jobqueue.LimitStatus;
import io.jobqueue.database.Database;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LockWaits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes limits, and lists them with what has become of them.
 */
final class StoreLimits {

	private static final String DECLARED = """
			SELECT declared FROM jobqueue_limit WHERE name = ? FOR UPDATE""";

	private static final String STORED = """
			SELECT id, name, running, starts, per_ms, burst, declared FROM jobqueue_limit WHERE name = ? FOR UPDATE""";

	private static final String DECLARE = """
			UPDATE jobqueue_limit SET declared = ? WHERE name = ?""";

	private static final String WITHOUT_ALLOWANCE = """
			SELECT l.id
			FROM jobqueue_limit l
			WHERE l.name = ?
			    AND NOT EXISTS (SELECT 1 FROM jobqueue_allowance a WHERE a.limit_id = l.id AND a.limit_key = '')""";

	private static final String LIST = """
			SELECT l.id, l.name, l.running, l.starts, l.per_ms, l.burst, l.declared, t.id AS type_id, t.name AS type
			FROM jobqueue_limit l
			LEFT JOIN jobqueue_type t ON t.limit_name = l.name
			WHERE :every = 1 OR l.name = :name
			ORDER BY l.name, t.name""";

	private static final String COUNTS = """
			SELECT (SELECT COUNT(*) FROM jobqueue_job{byClaim} WHERE state = 1 AND type_id IN (:types)) AS running,
			    (SELECT COUNT(*)
			     FROM (SELECT 1 AS one
			           FROM jobqueue_job{byClaim}
			           WHERE state IN ({allReady}) AND type_id IN (:types)
			           LIMIT 10000) r) AS ready,
			    (SELECT COUNT(*)
			     FROM (SELECT 1 AS one FROM jobqueue_limit_place{byPrimary} WHERE limit_id = :id LIMIT 10000) w) AS waiting
			FROM (SELECT 1 AS one) once""";

	private static final Logger log = LoggerFactory.getLogger(StoreLimits.class);

	private final Database database;

	private final Allowances allowances;

	StoreLimits(Database database, Allowances allowances) {
		this.database = database;
		this.allowances = allowances;
	}

	void save(Limit limit) {
		this.database.transactions().run(() -> {
			write(limit);
			return limit;
		});
		addAllowance(limit);
	}

	boolean change(Limit before, Limit after) {
		return this.database.transactions().run(() -> {
			List<Found> stored = this.database.template().query(STORED, (row, number) -> Found.of(row), before.name());
			if (stored.stream().noneMatch((limit) -> limit.limit().equals(before))) {
				return false;
			}
			write(after);
			return true;
		});
	}

	/**
	 * Saves a limit as a node is configured, unless that was saved before.
	 * @param limit the limit
	 * @param hash what differs between two configurations that differ
	 * @param holds whether the configuration holds; asked once the limit is locked
	 * @return whether it was saved
	 */
	boolean declare(Limit limit, String hash, BooleanSupplier holds) {
		boolean saved = this.database.transactions().run(LockWaits.SHORT, () -> {
			List<String> before = this.database.template().queryForList(DECLARED, String.class, limit.name());
			if (before.contains(hash) || !holds.getAsBoolean()) {
				return false;
			}
			write(limit);
			this.database.template().update(DECLARE, hash, limit.name());
			return true;
		});
		if (saved) {
			addAllowance(limit);
		}
		return saved;
	}

	private void write(Limit limit) {
		this.database.template()
			.update(this.database.constant("{limitStart} (?, ?, ?, ?, ?) {limitEnd}"), limit.name(), limit.running(),
					limit.starts(), limit.per().toMillis(), limit.burst());
	}

	/** The limit is saved, whatever comes of this: a claim adds what it misses. */
	private void addAllowance(Limit limit) {
		try {
			this.allowances.add(this.database.transactions()
				.run(() -> this.database.template().queryForList(WITHOUT_ALLOWANCE, Integer.class, limit.name()))
				.stream()
				.map(LimitKey::shared)
				.toList());
		}
		catch (RuntimeException ex) {
			log.debug("The allowance of the limit '{}' is left to the next claim", limit.name(), ex);
		}
	}

	List<LimitStatus> list(@Nullable String name) {
		return this.database.read(() -> {
			Map<Found, Map<String, Integer>> types = new LinkedHashMap<>();
			this.database.sql(LIST)
				.param("every", (name == null) ? 1 : 0)
				.param("name", (name != null) ? name : "")
				.query((row) -> {
					Map<String, Integer> ofLimit = types.computeIfAbsent(Found.of(row),
							(limit) -> new LinkedHashMap<>());
					String type = row.getString("type");
					if (type != null) {
						ofLimit.put(type, row.getInt("type_id"));
					}
				});
			return types.entrySet().stream().map((limit) -> status(limit.getKey(), limit.getValue())).toList();
		});
	}

	private LimitStatus status(Found found, Map<String, Integer> types) {
		// No job has the first number.
		List<Integer> ids = Stream
			.concat(Stream.of(Integer.MIN_VALUE), types.values().stream().flatMap((id) -> Stream.of(id, -id)))
			.toList();
		return this.database.sql(COUNTS)
			.param("types", ids)
			.param("id", found.id())
			.query((row, number) -> new LimitStatus(found.limit(), found.isChanged(), List.copyOf(types.keySet()),
					row.getLong("running"), row.getLong("ready"), row.getLong("waiting")))
			.single();
	}

	/**
	 * A limit as it was read. Another program may have written anything.
	 */
	private record Found(int id, String name, int running, int starts, long perMillis, int burst, String declared) {

		static Found of(ResultSet row) throws SQLException {
			return new Found(row.getInt("id"), row.getString("name"), row.getInt("running"), row.getInt("starts"),
					row.getLong("per_ms"), row.getInt("burst"), row.getString("declared"));
		}

		boolean isChanged() {
			return !this.declared.isEmpty() && !this.declared.equals(DeclaredLimits.hash(limit()));
		}

		Limit limit() {
			int most = Math.max(0, this.starts);
			return new Limit(this.name, Math.max(0, this.running), most,
					Duration.ofMillis(Math.max(1, Math.min(this.perMillis, Duration.ofDays(31).toMillis()))),
					Math.max(1, Math.min(this.burst, Math.max(1, most))));
		}

	}

}
