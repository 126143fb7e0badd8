package io.jobqueue.store.jdbc.claim;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.TypeRules;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;

/**
 * Which limits types have. While a new version of an application is rolled out, some
 * handlers of a type have a limit and others have not. The limit holds as long as any has
 * it: its nodes say so again and again, and nobody takes it away before they have been
 * silent for some minutes.
 */
final class TypeLimits {

	private static final Logger log = LoggerFactory.getLogger(TypeLimits.class);

	/** Whoever starts last decides which one of two limits it is. */
	private static final String SET = """
			UPDATE jobqueue_type SET limit_name = :limit, limit_seen_at = {now} WHERE name = :name""";

	private static final String KEEP = """
			UPDATE jobqueue_type
			SET limit_name = :limit, limit_seen_at = {now}
			WHERE name = :name AND limit_name IN (:limit, '')""";

	private static final String GIVE_UP = """
			UPDATE jobqueue_type SET limit_name = ''
			WHERE name IN (:names) AND limit_name <> '' AND limit_seen_at < {now + -180 SECOND}""";

	private final Database database;

	TypeLimits(Database database) {
		this.database = database;
	}

	/**
	 * Writes down the limits of handlers at the start of their worker.
	 */
	void set(Map<String, TypeRules> rules) {
		write(SET, rules);
	}

	/**
	 * Writes down that a worker with these handlers is still there.
	 */
	void keep(Map<String, TypeRules> rules) {
		try {
			this.database.transactions().run(LockWaits.SHORT, () -> {
				write(KEEP, rules);
				return rules;
			});
		}
		catch (DataAccessException ex) {
			if (!SqlFailure.isConflict(ex)) {
				throw ex;
			}
			// Whoever claims jobs does not wait for it. The next time is a minute away.
			log.debug("Rows of jobqueue_type are locked", ex);
		}
	}

	private void write(String statement, Map<String, TypeRules> rules) {
		new TreeMap<>(rules).forEach((name, rule) -> {
			if (!rule.limit().isEmpty()) {
				this.database.sql(statement).param("name", name).param("limit", rule.limit()).update();
			}
		});
		List<String> unlimited = rules.entrySet()
			.stream()
			.filter((rule) -> rule.getValue().limit().isEmpty())
			.map(Map.Entry::getKey)
			.sorted()
			.toList();
		Chunks.of(unlimited).forEach((chunk) -> this.database.sql(GIVE_UP).param("names", chunk).update());
	}

}
