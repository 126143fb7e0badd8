package io.jobqueue.store.jdbc;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.NewJob;
import io.jobqueue.store.Enqueued;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.PayloadSize;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.support.GeneratedKeyHolder;

/**
 * enqueue: stores new jobs as READY, by multi-row inserts bounded by count and by bytes.
 */
final class EnqueueJobs {

	private static final String INSERT = """
			INSERT INTO jobqueue_job
			    (queue, type, priority, max_attempts, timeout_ms, large_payload, payload, available_at, expires_at)
			VALUES\s""";

	private static final String COLUMNS = "(?, ?, ?, ?, ?, ?, ?, ";

	private static final String AFTER_DELAY = "TIMESTAMPADD(MICROSECOND, ?, {now})";

	private static final String NEVER = "'9999-12-31 00:00:00'";

	/**
	 * On MySQL and MariaDB the ids of one multi-row insert are consecutive, in steps of
	 * the increment.
	 */
	private static final String FIRST_ID_AND_STEP = """
			SELECT LAST_INSERT_ID() AS first_id, @@auto_increment_increment AS step""";

	private static final String INSERT_LARGE = """
			INSERT INTO jobqueue_payload (job_id, payload) VALUES (?, ?)""";

	private static final int MAX_ROWS = 500;

	private static final int MAX_CHARS = 1024 * 1024;

	private final Database database;

	private final UniqueKeys uniqueKeys;

	private final int inlinePayload;

	EnqueueJobs(Database database, UniqueKeys uniqueKeys, int inlinePayload) {
		this.database = database;
		this.uniqueKeys = uniqueKeys;
		this.inlinePayload = inlinePayload;
	}

	/**
	 * Stores jobs in the transaction that is open.
	 * @param jobs the jobs
	 * @param readCommitted whether that transaction sees what others have committed
	 * meanwhile
	 * @return what was stored, and under which ids
	 */
	Enqueued enqueue(List<EnqueuedJob> jobs, boolean readCommitted) {
		Map<UniqueKeys.Key, Long> taken = this.uniqueKeys.take(jobs, readCommitted);
		Map<UniqueKeys.Key, Integer> firstOfKey = new HashMap<>();
		List<Integer> fresh = new ArrayList<>(jobs.size());
		int[] sameAs = new int[jobs.size()];
		Long[] ids = new Long[jobs.size()];
		for (int i = 0; i < ids.length; i++) {
			UniqueKeys.Key key = UniqueKeys.Key.of(jobs.get(i).job());
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
		Map<UniqueKeys.Key, UniqueKeys.Holder> assigned = new HashMap<>();
		for (int i : fresh) {
			UniqueKeys.Key key = UniqueKeys.Key.of(jobs.get(i).job());
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

	private void insert(List<EnqueuedJob> jobs, List<Integer> fresh, Long[] ids) {
		int start = 0;
		while (start < fresh.size()) {
			int end = start;
			long chars = 0;
			while (end < fresh.size() && end - start < MAX_ROWS && (end == start || chars < MAX_CHARS)) {
				String payload = jobs.get(fresh.get(end++)).payload();
				chars += (payload != null) ? payload.length() : 0;
			}
			insertChunk(jobs, fresh.subList(start, end), ids);
			start = end;
		}
	}

	private void insertChunk(List<EnqueuedJob> jobs, List<Integer> chunk, Long[] ids) {
		StringBuilder statement = new StringBuilder(INSERT);
		List<Object> values = new ArrayList<>(chunk.size() * 9);
		for (int index : chunk) {
			statement.append((values.isEmpty()) ? "" : ",\n");
			appendRow(jobs.get(index), statement, values);
		}
		List<Long> inserted = insertRows(statement.toString(), values, chunk.size());
		for (int i = 0; i < chunk.size(); i++) {
			ids[chunk.get(i)] = inserted.get(i);
		}
		List<Object[]> large = chunk.stream()
			.filter((index) -> isLarge(jobs.get(index).payload()))
			.map((index) -> new Object[] { ids[index], jobs.get(index).payload() })
			.toList();
		if (!large.isEmpty()) {
			this.database.template().batchUpdate(INSERT_LARGE, large);
		}
	}

	private void appendRow(EnqueuedJob enqueued, StringBuilder statement, List<Object> values) {
		NewJob job = enqueued.job();
		boolean large = isLarge(enqueued.payload());
		values.addAll(Arrays.asList(job.queue(), job.type(), job.priority(), job.maxAttempts(),
				job.timeout().toMillis(), large ? 1 : 0, large ? null : enqueued.payload()));
		statement.append(COLUMNS);
		Instant availableAt = job.availableAt();
		if (availableAt != null) {
			statement.append("?");
			values.add(Utc.of(availableAt));
		}
		else {
			statement.append(AFTER_DELAY);
			values.add(Utc.micros(job.delay()));
		}
		if (job.expiresAfter() != null) {
			statement.append(", ").append(AFTER_DELAY).append(")");
			values.add(Utc.micros(job.expiresAfter()));
		}
		else {
			statement.append(", ").append(NEVER).append(")");
		}
	}

	private List<Long> insertRows(String statement, List<Object> values, int rows) {
		String expanded = this.database.dialect().expand(statement);
		if (rows == 1 || this.database.dialect() == Dialect.H2) {
			GeneratedKeyHolder keys = new GeneratedKeyHolder();
			this.database.template().update((connection) -> {
				var prepared = connection.prepareStatement(expanded, new String[] { "id" });
				for (int i = 0; i < values.size(); i++) {
					prepared.setObject(i + 1, values.get(i));
				}
				return prepared;
			}, keys);
			return keys.getKeyList()
				.stream()
				.map((key) -> ((Number) key.values().iterator().next()).longValue())
				.toList();
		}
		this.database.template().update(expanded, values.toArray());
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

	private boolean isLarge(@Nullable String payload) {
		return payload != null && PayloadSize.exceeds(payload, this.inlinePayload);
	}

}
