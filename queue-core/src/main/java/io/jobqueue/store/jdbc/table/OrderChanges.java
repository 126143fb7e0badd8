package io.jobqueue.store.jdbc.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;

/**
 * Notes, in the transaction in which jobs with order keys come or end, that somebody has
 * to see to their keys. No key is locked for that. Jobs without a key are left out.
 */
public final class OrderChanges {

	private static final String OF_KEY = """
			FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND order_key IS NOT NULL
			{unlessThere}""";

	private static final String PLACES = """
			{placesStart}
			SELECT order_key, id\s""" + OF_KEY;

	private static final String COME = """
			{changesStart}
			SELECT 1, id, order_key, 0\s""" + OF_KEY;

	private static final String ENDED = """
			{changesStart}
			SELECT 0, id, order_key, CASE WHEN state = 9 THEN 1 ELSE 0 END\s""" + OF_KEY;

	private static final String ONE_ENDED = "(0, ?, ?, 0)";

	private final Database database;

	public OrderChanges(Database database) {
		this.database = database;
	}

	/**
	 * Jobs have come that wait.
	 * @param ids the jobs, which the transaction has inserted
	 */
	public void come(List<Long> ids) {
		for (List<Long> chunk : Chunks.of(ids)) {
			this.database.numbers(PLACES).ids(chunk).update();
			this.database.numbers(COME).ids(chunk).update();
		}
	}

	/**
	 * Jobs end.
	 * @param ids the jobs, which the transaction has locked and not deleted yet
	 */
	public void ended(List<Long> ids) {
		Chunks.of(ids).forEach((chunk) -> this.database.numbers(ENDED).ids(chunk).update());
	}

	/**
	 * Jobs have ended that did not wait.
	 * @param keys their order keys, by job
	 */
	public void ended(Map<Long, String> keys) {
		for (List<Map.Entry<Long, String>> chunk : Chunks.of(List.copyOf(keys.entrySet()))) {
			List<Object> values = new ArrayList<>(2 * chunk.size());
			chunk.forEach((job) -> values.addAll(List.of(job.getKey(), job.getValue())));
			this.database.template()
				.update(this.database.expand("{changesStart} VALUES " + ONE_ENDED)
						+ (", " + ONE_ENDED).repeat(chunk.size() - 1) + this.database.expand(" {unlessThere}"),
						values.toArray());
		}
	}

}
