package io.jobqueue.store.jdbc.order;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.jdbc.finish.LetBeReady;
import io.jobqueue.store.jdbc.table.OrderChanges;
import io.jobqueue.store.jdbc.table.Page;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what changes do not tell: because another program has inserted or deleted rows.
 */
final class SweepKeys {

	private static final Logger log = LoggerFactory.getLogger(SweepKeys.class);

	/** The inner grouping is one dive for each key, however many jobs wait for it. */
	private static final String STUCK = """
			SELECT g.order_key, CASE WHEN j.id IS NULL AND COALESCE(k.state, 0) <> 1 THEN 1 ELSE 0 END AS wanted
			FROM (SELECT order_key
			      FROM jobqueue_order_place{byPrimary}
			      WHERE order_key > :after
			      GROUP BY order_key
			      ORDER BY order_key
			      LIMIT :limit) g
			LEFT JOIN jobqueue_order_key k ON k.order_key = g.order_key
			LEFT JOIN jobqueue_job j ON j.id = k.head_id AND j.state <> 9
			ORDER BY g.order_key""";

	private static final String PLACELESS = """
			SELECT j.id, CASE WHEN j.state = 9 AND p.job_id IS NULL THEN 1 ELSE 0 END AS wanted
			FROM (SELECT id, state, order_key FROM jobqueue_job{byPrimary} WHERE id > :after ORDER BY id LIMIT :limit) j
			LEFT JOIN jobqueue_order_place p ON p.order_key = j.order_key AND p.job_id = j.id
			ORDER BY j.id""";

	/** Nobody else sees to it: without a key there is nothing that it could wait for. */
	private static final String LOCK = """
			SELECT id, fence, session_id
			FROM jobqueue_job{byPrimary}
			WHERE id IN (:ids) AND state = 9 AND order_key IS NULL
			{lockOrWait}""";

	private static final String IDLE = """
			SELECT k.order_key,
			    CASE WHEN k.state = 0 AND j.id IS NULL AND k.changed_at < {now + -60 SECOND}
			            AND NOT EXISTS (SELECT 1 FROM jobqueue_order_place p WHERE p.order_key = k.order_key)
			        THEN 1 ELSE 0 END AS wanted
			FROM (SELECT order_key, state, head_id, changed_at
			      FROM jobqueue_order_key{byPrimary}
			      WHERE order_key > :after
			      ORDER BY order_key
			      LIMIT :limit) k
			LEFT JOIN jobqueue_job j ON j.id = k.head_id
			ORDER BY k.order_key""";

	private static final String FORGET = """
			{delete jobqueue_order_key} WHERE order_key = ?""";

	private final Database database;

	private final SettleKeys settle;

	private final OrderChanges changes;

	private final KeyRows rows;

	private final Heads heads;

	private final Places places;

	private final LetBeReady ready;

	SweepKeys(Database database, SettleKeys settle) {
		this.database = database;
		this.settle = settle;
		this.changes = new OrderChanges(database);
		this.rows = new KeyRows(database);
		this.heads = new Heads(database);
		this.places = new Places(database);
		this.ready = new LetBeReady(database);
	}

	Batch<String> keys(@Nullable String after, int limit) {
		return pageOfKeys(STUCK, after, limit).batch((keys) -> this.settle.settle(keys).size());
	}

	Batch<Long> jobs(@Nullable Long after, int limit) {
		List<Page.Seen<Long>> seen = this.database.read(() -> this.database.sql(PLACELESS)
			.param("after", (after != null) ? after : Long.MIN_VALUE)
			.param("limit", limit)
			.query((row, number) -> new Page.Seen<>(row.getLong("id"), row.getInt("wanted") == 1))
			.list());
		return new Page<>(seen, limit).batch(this::givePlaces);
	}

	private int givePlaces(List<Long> placeless) {
		int ready = this.database.transactions().run(() -> {
			this.changes.come(placeless);
			return this.ready
				.update(this.database.numbers(LOCK)
					.ids(placeless)
					.query((row, number) -> new Claim(row.getLong(1), row.getLong(2), row.getLong(3))))
				.size();
		});
		log.warn(
				"{} job(s) waited (state 9) without a place in the order of their key, the first of them job {}: "
						+ "another program has inserted them so. {} of them had no key and are ready now",
				placeless.size(), placeless.get(0), ready);
		return placeless.size();
	}

	Batch<String> forget(@Nullable String after, int limit) {
		return pageOfKeys(IDLE, after, limit).batch(this::forget);
	}

	private int forget(List<String> idle) {
		return this.database.transactions().run(() -> {
			// What has come meanwhile has left a change, and the key is added again.
			Map<String, KeyRow> locked = this.rows.lock(idle).rows();
			Map<String, Heads.Head> heads = this.heads.read(locked.values());
			Map<String, Long> waiting = this.places.next(locked.values());
			int forgotten = 0;
			for (KeyRow row : locked.values()) {
				// A head that is dead may be about to block the key.
				boolean hasHead = heads.containsKey(row.key());
				if (row.state() == KeyRow.State.OPEN && !waiting.containsKey(row.key()) && !hasHead) {
					forgotten += this.database.template().update(this.database.constant(FORGET), row.key());
				}
			}
			return forgotten;
		});
	}

	private Page<String> pageOfKeys(String statement, @Nullable String after, int limit) {
		return new Page<>(this.database.read(() -> this.database.sql(statement)
			.param("after", (after != null) ? after : "")
			.param("limit", limit)
			.query((row, number) -> seenKey(row))
			.list()), limit);
	}

	private Page.Seen<String> seenKey(ResultSet row) throws SQLException {
		return new Page.Seen<>(this.database.dialect().name(row.getString("order_key")), row.getInt("wanted") == 1);
	}

}
