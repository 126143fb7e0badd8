package io.jobqueue.store.jdbc.order;

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

/**
 * The rows of order keys, under whose locks all is decided. A row that is locked is
 * passed over: whoever has it decides what is to be decided.
 */
final class KeyRows {

	private static final String LOCK = """
			SELECT order_key, head_id, from_id, state, until_id
			FROM jobqueue_order_key{byPrimary}
			WHERE order_key IN (:keys)
			{lockOrWait}""";

	private static final String THERE = """
			SELECT order_key FROM jobqueue_order_key{byPrimary} WHERE order_key IN (:keys)""";

	private static final String ADD = """
			INSERT INTO jobqueue_order_key (order_key, changed_at)
			VALUES""";

	private static final String SAVE = "{orderKeysStart}";

	private final Database database;

	KeyRows(Database database) {
		this.database = database;
	}

	/**
	 * Locks rows, and adds those that are not there.
	 * @param keys the keys
	 * @return the rows by key, but for those that somebody else has locked
	 */
	Map<String, KeyRow> lock(Collection<String> keys) {
		Map<String, KeyRow> rows = new TreeMap<>();
		// In one order everywhere: the only wait is for a row that another one adds.
		for (List<String> chunk : Chunks.of(List.copyOf(new TreeSet<>(keys)))) {
			rows.putAll(lockThere(chunk));
			List<String> missing = chunk.stream().filter((key) -> !rows.containsKey(key)).toList();
			if (!missing.isEmpty()) {
				Set<String> lockedByOthers = there(missing);
				List<String> added = missing.stream().filter((key) -> !lockedByOthers.contains(key)).toList();
				if (!added.isEmpty()) {
					add(added);
					rows.putAll(lockThere(added));
				}
			}
		}
		return rows;
	}

	private Map<String, KeyRow> lockThere(List<String> keys) {
		return this.database.sql(LOCK)
			.param("keys", keys)
			.query((row, number) -> KeyRow.read(row, this.database.dialect()))
			.list()
			.stream()
			.collect(Collectors.toMap(KeyRow::key, (row) -> row, (one, other) -> one));
	}

	private Set<String> there(List<String> keys) {
		return this.database.sql(THERE)
			.param("keys", keys)
			.query((row, number) -> this.database.dialect().name(row.getString(1)))
			.list()
			.stream()
			.collect(Collectors.toCollection(HashSet::new));
	}

	private void add(List<String> keys) {
		this.database.template()
			.update(this.database.constant(ADD) + this.database
				.expand(" (?, {now})" + ", (?, {now})".repeat(keys.size() - 1) + " {newOrderKeysEnd}"), keys.toArray());
	}

	/**
	 * Writes rows that are locked.
	 */
	void save(List<KeyRow> rows) {
		for (List<KeyRow> chunk : Chunks.of(rows)) {
			List<Object> values = new ArrayList<>();
			for (KeyRow row : chunk) {
				values.addAll(List.of(row.key(), row.head(), row.from(), row.state().ordinal(), row.until()));
			}
			this.database.template()
				.update(this.database.constant(SAVE) + this.database.expand(" (?, ?, ?, ?, ?, {now})"
						+ ", (?, ?, ?, ?, ?, {now})".repeat(chunk.size() - 1) + " {orderKeysEnd}"), values.toArray());
		}
	}

}
