package io.jobqueue.store.jdbc.enqueue;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Database;
import io.jobqueue.store.Enqueued;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.jdbc.table.OrderChanges;
import io.jobqueue.store.jdbc.table.ReusedIds;
import io.jobqueue.store.jdbc.table.UniqueKey;

import org.springframework.jdbc.support.GeneratedKeyHolder;

/**
 * enqueue: stores new jobs as READY, by multi-row inserts bounded by count and by bytes.
 */
final class EnqueueJobs {

	/**
	 * On MySQL and MariaDB the ids of one multi-row insert are consecutive, in steps of
	 * the increment.
	 */
	private static final String FIRST_ID_AND_STEP = """
			SELECT LAST_INSERT_ID() AS first_id, @@auto_increment_increment AS step""";

	private static final String INSERT_LARGE = """
			INSERT INTO jobqueue_payload (job_id, payload) VALUES (?, ?)""";

	private static final String DELETE_LARGE = """
			{delete jobqueue_payload} WHERE job_id IN (:ids)""";

	private static final int MAX_ROWS = 500;

	private static final int MAX_CHARS = 1024 * 1024;

	private final Database database;

	private final UniqueKeys uniqueKeys;

	private final ReusedIds reusedIds;

	private final InsertJobs inserts;

	private final OrderChanges order;

	EnqueueJobs(Database database, UniqueKeys uniqueKeys, InsertJobs inserts) {
		this.database = database;
		this.uniqueKeys = uniqueKeys;
		this.reusedIds = new ReusedIds(database);
		this.inserts = inserts;
		this.order = new OrderChanges(database);
	}

	/**
	 * Stores jobs in the transaction that is open.
	 * @param jobs the jobs
	 * @param readCommitted whether that transaction sees what others have committed
	 * meanwhile
	 * @return what was stored, and under which ids
	 */
	Enqueued enqueue(List<EnqueuedJob> jobs, boolean readCommitted) {
		Map<UniqueKey, Long> taken = this.uniqueKeys.take(jobs, readCommitted);
		Map<UniqueKey, Integer> firstOfKey = new HashMap<>();
		List<Integer> fresh = new ArrayList<>(jobs.size());
		int[] sameAs = new int[jobs.size()];
		Long[] ids = new Long[jobs.size()];
		for (int i = 0; i < ids.length; i++) {
			UniqueKey key = UniqueKey.of(jobs.get(i).job());
			Integer first = (key != null) ? firstOfKey.putIfAbsent(key, i) : null;
			sameAs[i] = (first != null) ? first : i;
			Long holder = (key != null) ? taken.get(key) : null;
			if (holder != null) {
				ids[i] = holder;
			}
			else if (first == null) {
				fresh.add(i);
			}
		}
		insert(jobs, fresh, ids);
		Map<UniqueKey, UniqueKeys.Holder> assigned = new HashMap<>();
		for (int i : fresh) {
			UniqueKey key = UniqueKey.of(jobs.get(i).job());
			if (key != null) {
				assigned.put(key, new UniqueKeys.Holder(jobs.get(i).job(), ids[i]));
			}
		}
		this.uniqueKeys.assign(assigned);
		for (int i = 0; i < ids.length; i++) {
			ids[i] = ids[sameAs[i]];
		}
		return new Enqueued(Arrays.asList(ids), fresh.stream().map(jobs::get).toList());
	}

	/**
	 * Whether jobs are stored by one statement and no other, whose answer has the id. The
	 * ids of several are asked for by a second one, which must not go to another server.
	 */
	boolean isOneStatement(List<EnqueuedJob> jobs) {
		return jobs.size() == 1 && jobs.get(0).job().uniqueKey() == null && jobs.get(0).job().orderKey() == null
				&& !this.inserts.isLarge(jobs.get(0));
	}

	private static long chars(EnqueuedJob job) {
		String payload = job.payload();
		return (payload != null) ? payload.length() : 0;
	}

	private void insert(List<EnqueuedJob> jobs, List<Integer> fresh, Long[] ids) {
		int start = 0;
		while (start < fresh.size()) {
			int end = start;
			long chars = 0;
			while (end < fresh.size() && end - start < MAX_ROWS && (end == start || chars < MAX_CHARS)) {
				chars += chars(jobs.get(fresh.get(end++)));
			}
			insertChunk(jobs, fresh.subList(start, end), ids);
			start = end;
		}
	}

	private void insertChunk(List<EnqueuedJob> jobs, List<Integer> chunk, Long[] ids) {
		List<Long> inserted = insertRows(this.inserts.of(chunk.stream().map(jobs::get).toList()), chunk.size());
		for (int i = 0; i < chunk.size(); i++) {
			ids[chunk.get(i)] = inserted.get(i);
		}
		this.order.come(chunk.stream()
			.filter((index) -> jobs.get(index).job().orderKey() != null)
			.map((index) -> ids[index])
			.toList());
		List<List<Object>> large = chunk.stream()
			.filter((index) -> this.inserts.isLarge(jobs.get(index)))
			.map((index) -> List.<Object>of(ids[index], jobs.get(index).payload()))
			.toList();
		if (!large.isEmpty()) {
			List<Long> ofLarge = large.stream().map((row) -> (Long) row.get(0)).toList();
			this.reusedIds.writePayloads(ofLarge,
					() -> this.database.template().batchUpdate(INSERT_LARGE, large, large.size(), EnqueueJobs::bind),
					() -> this.database.numbers(DELETE_LARGE).ids(ofLarge).update());
		}
	}

	/**
	 * Not left to Spring, which would write each value, payloads too, to its log at
	 * TRACE.
	 */
	private static void bind(PreparedStatement prepared, List<Object> parameters) throws SQLException {
		for (int i = 0; i < parameters.size(); i++) {
			prepared.setObject(i + 1, parameters.get(i));
		}
	}

	private List<Long> insertRows(InsertJobs.Insert insert, int rows) {
		if (rows == 1 || this.database.can(Capability.RETURN_ALL_IDS)) {
			GeneratedKeyHolder keys = new GeneratedKeyHolder();
			this.database.template().update((connection) -> {
				var prepared = connection.prepareStatement(insert.sql(), new String[] { "id" });
				bind(prepared, insert.parameters());
				return prepared;
			}, keys);
			return keys.getKeyList()
				.stream()
				.map((key) -> ((Number) key.values().iterator().next()).longValue())
				.toList();
		}
		this.database.template().update(insert.sql(), (prepared) -> bind(prepared, insert.parameters()));
		return this.database.sql(FIRST_ID_AND_STEP).query((row, number) -> {
			long first = row.getLong("first_id");
			long step = row.getLong("step");
			List<Long> ids = new ArrayList<>(rows);
			for (int i = 0; i < rows; i++) {
				ids.add(first + i * step);
			}
			return ids;
		}).single();
	}

}
