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

import io.jobqueue.database.Capability;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DuplicateKeyException;

/**
 * The rows of order keys, under whose locks all is decided. A row that is locked is
 * passed over: whoever has it decides what is to be decided. So none is added in a
 * transaction that goes on: another one would have to wait for the end of that.
 */
final class KeyRows {

	private static final Logger log = LoggerFactory.getLogger(KeyRows.class);

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

	/**
	 * By ids alone: to write out many keys costs the client more than all else. The jobs
	 * are read first, so that no other key is locked.
	 */
	private static final String SAVE_HEADS = """
			UPDATE jobqueue_job j{byPrimary} STRAIGHT_JOIN jobqueue_order_key k{byPrimary} ON k.order_key = j.order_key
			SET k.head_id = j.id, k.from_id = j.id + 1, k.state = 0, k.until_id = 0, k.changed_at = {now}
			WHERE j.id IN (:ids)""";

	/** Up to so many keys are written out; more are found by the ids of their jobs. */
	static final int FEW = 20;

	private final Database database;

	KeyRows(Database database) {
		this.database = database;
	}

	/**
	 * Locks rows, of keys that have some.
	 * @param keys the keys
	 * @return the rows; none for keys that somebody else has locked
	 */
	List<KeyRow> lockThere(Collection<String> keys) {
		List<KeyRow> locked = new ArrayList<>();
		for (List<String> chunk : Chunks.of(List.copyOf(new TreeSet<>(keys)))) {
			locked.addAll(this.database.sql(LOCK)
				.param("keys", chunk)
				.query((row, number) -> KeyRow.read(row, this.database.dialect()))
				.list());
		}
		return locked;
	}

	/**
	 * Locks rows.
	 * @param keys the keys
	 */
	Locked lock(Collection<String> keys) {
		Locked locked = new Locked(new TreeMap<>(), new TreeSet<>());
		for (List<String> chunk : Chunks.of(List.copyOf(new TreeSet<>(keys)))) {
			lockThere(chunk).forEach((row) -> locked.rows().put(row.key(), row));
			List<String> others = chunk.stream().filter((key) -> !locked.rows().containsKey(key)).toList();
			if (!others.isEmpty()) {
				Set<String> there = there(others);
				others.stream().filter((key) -> !there.contains(key)).forEach(locked.missing()::add);
			}
		}
		return locked;
	}

	private Set<String> there(List<String> keys) {
		return this.database.sql(THERE)
			.param("keys", keys)
			.query((row, number) -> this.database.dialect().name(row.getString(1)))
			.list()
			.stream()
			.collect(Collectors.toCollection(HashSet::new));
	}

	/**
	 * Adds rows, outside of any transaction of the queue's own.
	 * @param keys those that are missing
	 */
	void add(Collection<String> keys) {
		// In one order everywhere.
		for (List<String> chunk : Chunks.of(List.copyOf(new TreeSet<>(keys)))) {
			String statement = this.database.constant(ADD) + this.database
				.expand(" (?, {now})" + ", (?, {now})".repeat(chunk.size() - 1) + " {newOrderKeysEnd}");
			try {
				this.database.transactions()
					.runOneStatement(() -> this.database.template().update(statement, chunk.toArray()));
			}
			catch (DuplicateKeyException ex) {
				// On H2, if another one adds a key of these: the rest is missing next
				// time.
				log.debug("Others add the same order keys", ex);
			}
		}
	}

	/**
	 * Writes rows that are locked and have new heads, whose jobs are locked too.
	 */
	void saveHeads(List<KeyRow> rows) {
		if (rows.size() <= FEW || !this.database.can(Capability.CHANGE_BY_JOIN)) {
			save(rows);
			return;
		}
		Chunks.of(rows.stream().map(KeyRow::head).toList())
			.forEach((ids) -> this.database.numbers(SAVE_HEADS).ids(ids).update());
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

	/**
	 * What has become of a look at rows.
	 *
	 * @param rows those that are locked now, by key
	 * @param missing the keys that have none. The others are locked by somebody else
	 */
	record Locked(Map<String, KeyRow> rows, Set<String> missing) {

	}

}
