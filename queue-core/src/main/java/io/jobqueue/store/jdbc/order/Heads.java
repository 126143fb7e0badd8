package io.jobqueue.store.jdbc.order;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.OnDead;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;

/**
 * What has become of jobs that could run as the heads of their keys.
 */
final class Heads {

	/** What became of a dead one's later jobs is told by its type, as stored. */
	private static final String SELECT = """
			SELECT id, CASE WHEN state = 9 THEN 1 ELSE 0 END AS what, order_key
			FROM jobqueue_job{byPrimary}
			WHERE id IN (:ids)
			UNION ALL
			SELECT a.id, 1 + t.on_dead, a.order_key
			FROM jobqueue_archive a{byPrimary} JOIN jobqueue_type t ON t.name = a.type
			WHERE a.id IN (:ids) AND a.state = 4 AND t.on_dead IN (1, 2)""";

	private final Database database;

	Heads(Database database) {
		this.database = database;
	}

	/**
	 * Reads them.
	 * @param rows the rows of their keys
	 * @return what they are, by key; nothing for those that are gone
	 */
	Map<String, Head> read(Collection<KeyRow> rows) {
		Map<Long, String> keys = new HashMap<>();
		rows.stream().filter((row) -> row.head() != 0).forEach((row) -> keys.put(row.head(), row.key()));
		Map<String, Head> heads = new HashMap<>();
		for (List<Long> chunk : Chunks.of(List.copyOf(keys.keySet()))) {
			this.database.numbers(SELECT).ids(chunk).query((row, number) -> {
				String key = row.getString("order_key");
				String known = keys.get(row.getLong("id"));
				// A table that was truncated may have given the id to another job.
				if (key != null && this.database.dialect().name(key).equals(known)) {
					heads.merge(known, Head.values()[row.getInt("what")],
							(one, other) -> (one.compareTo(other) < 0) ? one : other);
				}
				return number;
			});
		}
		return heads;
	}

	/**
	 * What a job is.
	 */
	enum Head {

		/** Ready or running. */
		LIVE,

		/** Redriven, and waits again. */
		WAITING,

		/** Dead, and its type says {@link OnDead#BLOCK}. */
		BLOCKS,

		/** Dead, and its type says {@link OnDead#PARK}. */
		PARKS

	}

}
