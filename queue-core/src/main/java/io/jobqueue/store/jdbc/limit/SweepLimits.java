package io.jobqueue.store.jdbc.limit;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.MaintenanceStore.Batch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds keys with free places whose jobs wait: a worker has died before it saw to them,
 * or another program has changed rows.
 */
final class SweepLimits {

	private static final Logger log = LoggerFactory.getLogger(SweepLimits.class);

	private static final String IS_USED = """
			SELECT CASE WHEN EXISTS (SELECT 1 FROM jobqueue_limit) OR EXISTS (SELECT 1 FROM jobqueue_limit_place)
			        OR EXISTS (SELECT 1 FROM jobqueue_allowance)
			        OR EXISTS (SELECT 1 FROM jobqueue_job{byClaim} WHERE state = 10)
			    THEN 1 ELSE 0 END AS used
			FROM (SELECT 1 AS one) once""";

	/** The inner grouping is one dive for each key, however many jobs wait for it. */
	private static final String WITH_PLACES = """
			SELECT g.limit_id, g.limit_key,
			    CASE WHEN l.id IS NULL OR l.running <= 0
			            OR (SELECT COUNT(*)
			                FROM jobqueue_limit_running r{byPrimary} JOIN jobqueue_job j{byPrimary} ON j.id = r.job_id
			                WHERE r.limit_id = g.limit_id AND r.limit_key = g.limit_key AND j.state = 1
			                    AND j.fence = r.fence) < l.running
			        THEN 1 ELSE 0 END AS wanted
			FROM (SELECT limit_id, limit_key
			      FROM jobqueue_limit_place{byPrimary}
			      WHERE limit_id > :limit OR (limit_id = :limit AND limit_key > :key)
			      GROUP BY limit_id, limit_key
			      ORDER BY limit_id, limit_key
			      LIMIT :most) g
			LEFT JOIN jobqueue_limit l ON l.id = g.limit_id
			ORDER BY g.limit_id, g.limit_key""";

	private static final String PLACELESS = """
			SELECT j.id, CASE WHEN j.state = 10 AND NOT EXISTS (
			        SELECT 1
			        FROM jobqueue_type t
			            JOIN jobqueue_limit l ON l.name = t.limit_name
			            JOIN jobqueue_limit_place p ON p.limit_id = l.id AND p.limit_key = j.limit_key AND p.job_id = j.id
			        WHERE t.name = j.type)
			    THEN 1 ELSE 0 END AS wanted
			FROM (SELECT id, state, type, limit_key
			      FROM jobqueue_job{byPrimary}
			      WHERE id > :after
			      ORDER BY id
			      LIMIT :limit) j
			ORDER BY j.id""";

	private static final String MAKE_READY = """
			UPDATE jobqueue_job{byPrimary}
			SET state = {readyAgain}, type_id = 0, fence = LEAST(fence, 9223372036854775000) + 1,
			    available_at = GREATEST({now}, available_at)
			WHERE id IN (:ids) AND state = 10""";

	private static final String IDLE = """
			SELECT a.limit_id, a.limit_key,
			    CASE WHEN a.limit_key <> '' AND a.changed_at < {now + -60 SECOND}
			            AND a.booked_until < 1000 * TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', {now})
			            AND NOT EXISTS (SELECT 1 FROM jobqueue_limit_place p
			                            WHERE p.limit_id = a.limit_id AND p.limit_key = a.limit_key)
			        THEN 1 ELSE 0 END AS wanted
			FROM (SELECT limit_id, limit_key, booked_until, changed_at
			      FROM jobqueue_allowance{byPrimary}
			      WHERE limit_id > :limit OR (limit_id = :limit AND limit_key > :key)
			      ORDER BY limit_id, limit_key
			      LIMIT :most) a
			ORDER BY a.limit_id, a.limit_key""";

	private static final String FORGET = """
			{delete jobqueue_allowance} WHERE limit_id = ? AND limit_key = ?""";

	private final Database database;

	private final SettleLimits settle;

	private final Allowances allowances;

	private final Holders holders;

	SweepLimits(Database database, SettleLimits settle, Allowances allowances) {
		this.database = database;
		this.settle = settle;
		this.allowances = allowances;
		this.holders = new Holders(database);
	}

	boolean isUsed() {
		return this.database.read(() -> this.database.sql(IS_USED).query(Integer.class).single()) == 1;
	}

	Batch<LimitKey> keys(@Nullable LimitKey after, int limit) {
		List<Seen<LimitKey>> page = page(WITH_PLACES, after, limit);
		int ready = 0;
		for (List<LimitKey> chunk : Chunks.of(wanted(page))) {
			ready += this.settle.settle(chunk).ready();
		}
		return new Batch<>(ready, last(page, limit));
	}

	Batch<Long> jobs(@Nullable Long after, int limit) {
		List<Seen<Long>> page = this.database.read(() -> this.database.sql(PLACELESS)
			.param("after", (after != null) ? after : Long.MIN_VALUE)
			.param("limit", limit)
			.query((row, number) -> new Seen<>(row.getLong("id"), row.getInt("wanted") == 1))
			.list());
		List<Long> placeless = wanted(page);
		int ready = 0;
		for (List<Long> chunk : Chunks.of(placeless)) {
			ready += this.database.transactions().run(() -> this.database.numbers(MAKE_READY).ids(chunk).update());
		}
		if (ready > 0) {
			log.warn(
					"{} job(s) waited (state 10) without a place of their type's limit, the first of them job {}: the "
							+ "limit has changed, or another program has written them so. They are ready now",
					ready, placeless.get(0));
		}
		return new Batch<>(ready, last(page, limit));
	}

	Batch<LimitKey> forget(@Nullable LimitKey after, int limit) {
		List<Seen<LimitKey>> page = page(IDLE, after, limit);
		List<LimitKey> forgotten = new ArrayList<>();
		for (List<LimitKey> chunk : Chunks.of(wanted(page))) {
			this.database.transactions().run(() -> {
				List<LimitKey> free = this.allowances.lock(chunk)
					.values()
					.stream()
					.filter((allowance) -> !allowance.anyWait())
					.map(Allowance::key)
					.toList();
				this.holders.read(free).forEach((key, ofKey) -> {
					if (ofKey.running() == 0 && ofKey.admitted().isEmpty()) {
						this.database.template().update(this.database.constant(FORGET), key.limitId(), key.key());
						forgotten.add(key);
					}
				});
				return free;
			});
		}
		return new Batch<>(forgotten.size(), last(page, limit));
	}

	private List<Seen<LimitKey>> page(String statement, @Nullable LimitKey after, int limit) {
		return this.database.read(() -> this.database.sql(statement)
			.param("limit", (after != null) ? after.limitId() : 0)
			.param("key", (after != null) ? after.key() : "")
			.param("most", limit)
			.query((row, number) -> seen(row))
			.list());
	}

	private Seen<LimitKey> seen(ResultSet row) throws SQLException {
		return new Seen<>(
				new LimitKey(row.getInt("limit_id"), this.database.dialect().name(row.getString("limit_key"))),
				row.getInt("wanted") == 1);
	}

	private static <P> List<P> wanted(List<Seen<P>> page) {
		return page.stream().filter(Seen::wanted).map(Seen::at).toList();
	}

	private static <P> @Nullable P last(List<Seen<P>> page, int limit) {
		return (page.size() == limit) ? page.get(limit - 1).at() : null;
	}

	/**
	 * A key or job that was looked at.
	 */
	private record Seen<P>(P at, boolean wanted) {

	}

}
