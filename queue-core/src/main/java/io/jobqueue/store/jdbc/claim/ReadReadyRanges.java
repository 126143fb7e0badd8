package io.jobqueue.store.jdbc.claim;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.QueueMode;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;
import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.jdbc.table.LimitedTypes;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists the ranges of the claim index that have ready jobs. The grouping is a skip scan
 * of that index: one dive for each range, however many jobs stand in it, and none for
 * those of other types. The heartbeats of the worker's session show how old a replica of
 * the data was read.
 */
public final class ReadReadyRanges {

	private static final Logger log = LoggerFactory.getLogger(ReadReadyRanges.class);

	private static final String SELECT = """
			SELECT s.beats, s.orders_changed, s.limits_due,
			    CASE WHEN r.type_id <> 0
			        THEN (SELECT t.limit_name FROM jobqueue_type t{byPrimary} WHERE t.id = ABS(r.type_id))
			        ELSE '' END AS limit_name,
			    CASE WHEN r.type_id <> 0
			        THEN (SELECT l.id
			              FROM jobqueue_type t{byPrimary} JOIN jobqueue_limit l ON l.name = t.limit_name
			              WHERE t.id = ABS(r.type_id))
			        ELSE 0 END AS limit_id,
			    r.state, r.type_id, r.queue, r.priority, COALESCE(q.lifo, 0) AS lifo,
			    COALESCE(q.mode, 0) AS mode, COALESCE(q.paused, 0) AS paused,
			    TIMESTAMPDIFF(MICROSECOND, {now}, r.due_at) AS due_in
			FROM (SELECT COALESCE(MAX(beats), -1) AS beats,
			          CASE WHEN EXISTS (SELECT 1 FROM jobqueue_order_change) THEN 1 ELSE 0 END AS orders_changed,
			          CASE WHEN EXISTS (SELECT 1 FROM jobqueue_allowance{byLook} WHERE look_at <= {now})
			              THEN 1 ELSE 0 END AS limits_due
			      FROM jobqueue_session
			      WHERE id = :session) s
			LEFT JOIN (SELECT state, type_id, queue, priority, MIN(available_at) AS due_at
			           FROM jobqueue_job{byClaim}
			           WHERE state IN ({allReady}) AND type_id IN (:types)
			           GROUP BY state, type_id, queue, priority) r ON 1 = 1
			LEFT JOIN jobqueue_queue q ON q.name = r.queue""";

	private final Database database;

	private final LimitedTypes limited;

	/** Those that were told of. */
	private final Set<String> unknown = ConcurrentHashMap.newKeySet();

	public ReadReadyRanges(Database database, LimitedTypes limited) {
		this.database = database;
		this.limited = limited;
	}

	public ClaimStore.Ranges read(long sessionId, Collection<Integer> typeIds, boolean inTransaction) {
		Collection<Integer> ids = new TreeSet<>(typeIds);
		ids.add(0);
		ClaimStore.Ranges ready = inTransaction ? this.database.transactions().run(() -> read(sessionId, ids))
				: this.database.read(() -> read(sessionId, ids));
		// Before they are claimed.
		this.limited.refresh(!ready.ranges().isEmpty());
		return ready;
	}

	private ClaimStore.Ranges read(long sessionId, Collection<Integer> typeIds) {
		List<ReadyRange> ranges = new ArrayList<>();
		AtomicLong beats = new AtomicLong(Long.MAX_VALUE);
		AtomicBoolean ordersChanged = new AtomicBoolean();
		AtomicBoolean limitsDue = new AtomicBoolean();
		Set<Integer> unknownTypes = new HashSet<>();
		this.database.sql(SELECT).param("session", sessionId).param("types", typeIds).query((row) -> {
			beats.set(row.getLong("beats"));
			ordersChanged.set(row.getInt("orders_changed") == 1);
			limitsDue.set(row.getInt("limits_due") == 1);
			String queue = row.getString("queue");
			if (queue != null && row.getInt("paused") == 0) {
				QueueMode mode = StateCode.mode(row.getInt("mode")).orElse(null);
				String limit = row.getString("limit_name");
				int limitId = row.getInt("limit_id");
				if (limit == null) {
					unknownTypes.add(row.getInt("type_id"));
				}
				if (mode == null) {
					logUnknown("Queue '{}' has a mode in jobqueue_queue that this version does not know: it is not "
							+ "served here", queue);
					return;
				}
				if (limit != null && !limit.isEmpty() && limitId == 0) {
					logUnknown("The limit '{}' is not in jobqueue_limit: the jobs of its types wait until it is",
							limit);
					return;
				}
				ranges.add(new ReadyRange(this.database.dialect().name(queue), row.getInt("priority"),
						row.getInt("type_id"), StateCode.degree(row.getInt("state")), row.getInt("lifo") == 1,
						Utc.ofMicros(row.getLong("due_in")), mode, limitId));
			}
		});
		return new ClaimStore.Ranges(ranges, ordersChanged.get(), limitsDue.get(), unknownTypes, beats.get());
	}

	private void logUnknown(String message, String name) {
		if (this.unknown.add(message + name)) {
			log.warn(message, name);
		}
	}

}
