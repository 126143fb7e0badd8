package io.jobqueue.store.jdbc.limit;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitStore;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.jdbc.finish.LetBeReady;
import io.jobqueue.store.jdbc.table.Page;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds keys with free places whose jobs wait: a worker has died before it saw to them,
 * or another program has changed rows.
 */
final class SweepLimits {

	private static final Logger log = LoggerFactory.getLogger(SweepLimits.class);

	private static final int MOST_ROUNDS = 50;

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

	private static final String LOCK = """
			SELECT id, fence, session_id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state = 10 {lockOrWait}""";

	/** Whoever claims it finds out what it stands for. */
	private static final String OF_ANY_TYPE = """
			UPDATE jobqueue_job{byPrimary} SET type_id = 0 WHERE id IN (:ids)""";

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

	/** It may have been used since it was read. */
	private static final String FORGET = """
			{delete jobqueue_allowance}
			WHERE limit_id = ? AND limit_key = ? AND changed_at < {now + -60 SECOND}
			    AND booked_until < 1000 * TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', {now})""";

	private final Database database;

	private final SettleLimits settle;

	private final Allowances allowances;

	private final Holders holders;

	private final LetBeReady ready;

	SweepLimits(Database database, SettleLimits settle, Allowances allowances) {
		this.database = database;
		this.settle = settle;
		this.allowances = allowances;
		this.holders = new Holders(database);
		this.ready = new LetBeReady(database);
	}

	Batch<LimitKey> keys(@Nullable LimitKey after, int limit) {
		return page(WITH_PLACES, after, limit).batch(this::settle);
	}

	/**
	 * As long as jobs become ready, or places of those that have ended are given up.
	 */
	private int settle(List<LimitKey> keys) {
		int ready = 0;
		LimitStore.Settled settled = this.settle.settle(keys);
		for (int i = 0; i < MOST_ROUNDS; i++) {
			ready += settled.ready();
			if (settled.left().isEmpty() || settled.ready() + settled.tidied() == 0) {
				break;
			}
			settled = this.settle.settle(settled.left());
		}
		return ready;
	}

	Batch<Long> jobs(@Nullable Long after, int limit) {
		List<Page.Seen<Long>> seen = this.database.read(() -> this.database.sql(PLACELESS)
			.param("after", (after != null) ? after : Long.MIN_VALUE)
			.param("limit", limit)
			.query((row, number) -> new Page.Seen<>(row.getLong("id"), row.getInt("wanted") == 1))
			.list());
		return new Page<>(seen, limit).batch(this::letBeReady);
	}

	private int letBeReady(List<Long> placeless) {
		List<Claim> ready = this.database.transactions().run(() -> {
			List<Claim> locked = this.database.numbers(LOCK)
				.ids(placeless)
				.query((row, number) -> new Claim(row.getLong(1), row.getLong(2), row.getLong(3)));
			List<Claim> done = this.ready.update(locked);
			if (!done.isEmpty()) {
				this.database.numbers(OF_ANY_TYPE).ids(done.stream().map(Claim::id).toList()).update();
			}
			return done;
		});
		if (!ready.isEmpty()) {
			log.warn(
					"{} job(s) waited (state 10) without a place of their type's limit, the first of them job {}: the "
							+ "limit has changed, or another program has written them so. They are ready now",
					ready.size(), ready.get(0).id());
		}
		return ready.size();
	}

	Batch<LimitKey> forget(@Nullable LimitKey after, int limit) {
		return page(IDLE, after, limit).batch(this::forget);
	}

	private int forget(List<LimitKey> keys) {
		return this.database.transactions().run(() -> {
			List<LimitKey> free = this.allowances.lock(keys)
				.rows()
				.values()
				.stream()
				.filter((allowance) -> !allowance.anyWait())
				.map(Allowance::key)
				.toList();
			AtomicInteger forgotten = new AtomicInteger();
			this.holders.read(free).forEach((key, ofKey) -> {
				if (ofKey.running() == 0 && ofKey.admitted().isEmpty()) {
					forgotten.addAndGet(
							this.database.template().update(this.database.constant(FORGET), key.limitId(), key.key()));
				}
			});
			return forgotten.get();
		});
	}

	private Page<LimitKey> page(String statement, @Nullable LimitKey after, int limit) {
		return new Page<>(this.database.read(() -> this.database.sql(statement)
			.param("limit", (after != null) ? after.limitId() : Integer.MIN_VALUE)
			.param("key", (after != null) ? after.key() : "")
			.param("most", limit)
			.query((row, number) -> seen(row))
			.list()), limit);
	}

	private Page.Seen<LimitKey> seen(ResultSet row) throws SQLException {
		return new Page.Seen<>(
				new LimitKey(row.getInt("limit_id"), this.database.dialect().name(row.getString("limit_key"))),
				row.getInt("wanted") == 1);
	}

}
