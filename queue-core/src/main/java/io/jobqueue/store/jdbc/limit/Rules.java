package io.jobqueue.store.jdbc.limit;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.jobqueue.database.Database;

/**
 * Reads what limits allow, and how many jobs without a key run.
 */
public final class Rules {

	private static final String SELECT = """
			SELECT id, name, running, starts, per_ms, burst,
			    TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', {now}) AS now
			FROM jobqueue_limit{byPrimary}
			WHERE id IN (:ids)""";

	/** A running job keeps the number of its type, so they are a range of the index. */
	private static final String RUNNING = """
			SELECT l.id, COUNT(*)
			FROM jobqueue_limit l
			    JOIN jobqueue_type t ON t.limit_name = l.name
			    JOIN jobqueue_job j{byClaim} ON j.state = 1 AND j.type_id = t.id
			WHERE l.id IN (:ids)
			GROUP BY l.id""";

	private final Database database;

	public Rules(Database database) {
		this.database = database;
	}

	/**
	 * Reads rules.
	 * @param ids the numbers of limits
	 * @return the rules by number, but for those that are gone
	 */
	public Map<Integer, Rule> read(Collection<Integer> ids) {
		return this.database.sql(SELECT)
			.param("ids", ids)
			.query((row, number) -> Rule.read(row))
			.list()
			.stream()
			.collect(Collectors.toMap(Rule::id, (rule) -> rule));
	}

	/**
	 * Counts the jobs without a key that run.
	 * @param rules the rules of their limits, whose shared allowances are locked
	 * @return how many, by the number of the limit
	 */
	public Map<Integer, Integer> running(Collection<Rule> rules) {
		List<Integer> ids = rules.stream().filter((rule) -> rule.running() != Integer.MAX_VALUE).map(Rule::id).toList();
		Map<Integer, Integer> running = new HashMap<>();
		if (!ids.isEmpty()) {
			this.database.sql(RUNNING).param("ids", ids).query((row) -> {
				running.put(row.getInt(1), row.getInt(2));
			});
		}
		return running;
	}

}
