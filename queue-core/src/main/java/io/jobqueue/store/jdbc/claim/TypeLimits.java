package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.TypeRules;
import io.jobqueue.store.jdbc.table.Declarations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;

/**
 * Which limits types have. While a new version of an application is rolled out, some
 * handlers of a type have a limit and others have not. The limit holds as long as any has
 * it: its nodes say so again and again, and nobody takes it away before they have been
 * silent for some minutes. Of two limits the one holds that was first seen later.
 */
final class TypeLimits {

	private static final Logger log = LoggerFactory.getLogger(TypeLimits.class);

	/**
	 * For how long holds what a node has said. It looks each minute whether to do so
	 * again.
	 */
	private static final Duration LIVE = Duration.ofMinutes(4);

	/** Whoever writes the same has nothing to write. */
	private static final String SET = """
			UPDATE jobqueue_type SET limit_name = :limit WHERE name = :name AND limit_name <> :limit""";

	private static final String GIVE_UP = """
			UPDATE jobqueue_type SET limit_name = ''
			WHERE name IN (:names) AND limit_name <> ''
			    AND NOT EXISTS (SELECT 1 FROM jobqueue_declaration d
			                    WHERE d.kind = :kind AND d.name = jobqueue_type.name
			                        AND d.seen_at > {now + :before MICROSECOND})""";

	private final Database database;

	private final Declarations declarations;

	TypeLimits(Database database) {
		this.database = database;
		this.declarations = new Declarations(database, Declarations.Kind.TYPE);
	}

	/**
	 * Writes down the limits of handlers at the start of their worker.
	 */
	void set(Map<String, TypeRules> rules) {
		write(rules, Map.of(), LockWaits.USUAL);
	}

	/**
	 * Writes down that a worker with these handlers is still there.
	 * @param there the limits that the types have by a plain read
	 */
	void keep(Map<String, TypeRules> rules, Map<String, String> there) {
		try {
			write(rules, there, LockWaits.SHORT);
		}
		catch (DataAccessException ex) {
			if (!SqlFailure.isConflict(ex)) {
				throw ex;
			}
			// Whoever claims jobs does not wait for it. The next time is a minute away.
			log.debug("Rows of jobqueue_type are locked", ex);
		}
	}

	private void write(Map<String, TypeRules> rules, Map<String, String> there, LockWaits waits) {
		Map<String, String> own = new TreeMap<>();
		rules.forEach((name, rule) -> {
			if (!rule.limit().isEmpty()) {
				own.put(name, rule.limit());
			}
		});
		Set<String> newest = this.declarations.say(own, 0, LIVE);
		Set<String> toSet = new TreeSet<>(newest);
		toSet.removeIf((name) -> own.getOrDefault(name, "").equals(there.get(name)));
		Set<String> toGiveUp = new TreeSet<>(rules.keySet());
		toGiveUp.removeIf((name) -> own.containsKey(name) || "".equals(there.get(name)));
		if (!toSet.isEmpty() || !toGiveUp.isEmpty()) {
			this.database.transactions().run(waits, () -> {
				write(own, toSet, toGiveUp);
				return own;
			});
		}
	}

	/**
	 * In the order of the names, so that nodes that start together do not deadlock.
	 */
	private void write(Map<String, String> own, Set<String> toSet, Set<String> toGiveUp) {
		new TreeSet<>(this.declarations.newest(own, 0, LIVE)).stream()
			.filter(toSet::contains)
			.forEach((name) -> this.database.sql(SET).param("name", name).param("limit", own.get(name)).update());
		Chunks.of(List.copyOf(toGiveUp))
			.forEach((chunk) -> this.database.sql(GIVE_UP)
				.param("names", chunk)
				.param("kind", Declarations.Kind.TYPE.ordinal())
				.param("before", -Utc.micros(LIVE))
				.update());
	}

}
