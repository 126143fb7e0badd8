package io.jobqueue.store.jdbc.table;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.SqlFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What the code or the configuration of nodes declares. Nodes of two versions may run at
 * once, so each says again and again what it has; the newest definition of those that
 * were said lately holds. A statement of this commits by itself: a node that stands still
 * must keep no row locked that others of its version have to write.
 */
public final class Declarations {

	private static final Logger log = LoggerFactory.getLogger(Declarations.class);

	private static final String THESE = """
			WHERE kind = :kind AND revision = :revision AND (name, definition_hash) IN (:definitions)""";

	private static final String FREE = """
			SELECT name, definition_hash FROM jobqueue_declaration
			""" + THESE + " {lockOrWait}";

	private static final String SAY = """
			UPDATE jobqueue_declaration SET seen_at = {now}
			""" + THESE;

	private static final String ADD = """
			INSERT INTO jobqueue_declaration (kind, name, definition_hash, revision, first_seen_at, seen_at)
			VALUES (:kind, :name, :hash, :revision, {now}, {now})""";

	/** What was seen far ahead is what a clock has left that was ahead. */
	private static final String READ = """
			SELECT name, definition_hash, revision,
			    CASE WHEN NOT {unreadable first_seen_at} THEN first_seen_at END AS first_seen,
			    CASE WHEN seen_at > {now + :before MICROSECOND} AND seen_at < {now + :after MICROSECOND}
			        THEN 1 ELSE 0 END AS live,
			    CASE WHEN seen_at > {now + :soon MICROSECOND} AND seen_at < {now + :after MICROSECOND}
			        THEN 1 ELSE 0 END AS fresh
			FROM jobqueue_declaration
			WHERE kind = :kind AND name IN (:names)""";

	/**
	 * MariaDB joins a list of a thousand values with the table, pairs counted twice, and
	 * may lock other rows then.
	 */
	private static final int MOST_PAIRS = 200;

	private final Database database;

	private final Kind kind;

	/**
	 * Creates the statements.
	 * @param database the database
	 * @param kind what is declared
	 */
	public Declarations(Database database, Kind kind) {
		this.database = database;
		this.kind = kind;
	}

	/**
	 * Says what this node has, where nobody has said the same lately, and finds out which
	 * of it holds. Rows that somebody has locked are left for the next time.
	 * @param own a hash of each definition, by name
	 * @param revision of what is declared: the higher, the newer
	 * @param live for how long holds what a node has said
	 * @return the names of the definitions than which no node has a newer one
	 */
	public Set<String> say(Map<String, String> own, long revision, Duration live) {
		List<Declared> declared = this.database.read(() -> read(own.keySet(), live));
		Set<Declared.Definition> missing = Declared.Definition.of(own);
		Set<Declared.Definition> old = new TreeSet<>();
		declared.stream().filter((one) -> one.revision() == revision).forEach((one) -> {
			if (missing.remove(one.definition()) && !one.fresh()) {
				old.add(one.definition());
			}
		});
		Chunks.of(List.copyOf(old), MOST_PAIRS).forEach((chunk) -> unlessOthersWrite(() -> sayAgain(chunk, revision)));
		missing.forEach((one) -> {
			// A plain read may have been of an old replica.
			if (unlessOthersWrite(() -> addShortly(one, revision)) == 0) {
				unlessOthersWrite(() -> sayAgain(List.of(one), revision));
			}
		});
		return newest(missing.isEmpty() ? declared : this.database.read(() -> read(own.keySet(), live)), own, revision);
	}

	private int sayAgain(List<Declared.Definition> definitions, long revision) {
		return this.database.transactions().runOneStatement(() -> {
			List<Declared.Definition> free = with(FREE, definitions, revision).query(Declared.Definition.class).list();
			return free.isEmpty() ? 0 : with(SAY, free, revision).update();
		});
	}

	private int addShortly(Declared.Definition one, long revision) {
		return this.database.transactions()
			.runSeparately(() -> add(one, revision))
			.orElseGet(() -> this.database.transactions().run(LockWaits.SHORT, () -> add(one, revision)));
	}

	private int add(Declared.Definition one, long revision) {
		return this.database.sql(ADD)
			.param("kind", this.kind.ordinal())
			.param("name", one.name())
			.param("hash", one.definitionHash())
			.param("revision", revision)
			.update();
	}

	private JdbcClient.StatementSpec with(String statement, Collection<Declared.Definition> definitions,
			long revision) {
		List<Object[]> values = definitions.stream()
			.map((one) -> new Object[] { one.name(), one.definitionHash() })
			.toList();
		return this.database.sql(statement)
			.param("kind", this.kind.ordinal())
			.param("revision", revision)
			.param("definitions", values);
	}

	/**
	 * Writes, unless another node writes the same at this moment, or somebody has it
	 * locked.
	 * @return how many rows were written
	 */
	private static int unlessOthersWrite(Supplier<Integer> statements) {
		try {
			return statements.get();
		}
		catch (DataAccessException ex) {
			if (!SqlFailure.isConflict(ex) && !SqlFailure.isAboutData(ex)) {
				throw ex;
			}
			log.debug("Declarations could not be written, tried again later", ex);
			return 0;
		}
	}

	/**
	 * Of what this node has, the definitions than which no node has a newer one. The
	 * newest is that of the highest revision, and of these the one that was first seen
	 * later.
	 * @param own a hash of each definition, by name
	 * @param revision of what this node has
	 * @param live for how long holds what another node has said
	 * @return their names
	 */
	public Set<String> newest(Map<String, String> own, long revision, Duration live) {
		return newest(read(own.keySet(), live), own, revision);
	}

	private static Set<String> newest(List<Declared> declared, Map<String, String> own, long revision) {
		Map<String, Declared> newest = new HashMap<>();
		declared.stream()
			// What this node has is there, whether it could say so or not.
			.filter((one) -> one.live() || (one.revision() == revision && one.isOf(own)))
			.forEach((one) -> newest.merge(one.definition().name(), one, Declared::newer));
		Set<String> held = new HashSet<>(own.keySet());
		held.removeIf((name) -> {
			Declared winner = newest.get(name);
			return winner != null && winner.revision() >= revision && !winner.isOf(own);
		});
		return held;
	}

	private List<Declared> read(Collection<String> names, Duration live) {
		List<Declared> declared = new ArrayList<>();
		for (List<String> some : Chunks.of(List.copyOf(names))) {
			this.database.sql(READ)
				.param("kind", this.kind.ordinal())
				.param("before", -Utc.micros(live))
				.param("soon", -Utc.micros(live.dividedBy(3)))
				.param("after", Utc.micros(live))
				.param("names", some)
				.query((row) -> {
					declared.add(Declared.of(row, this.database.dialect()));
				});
		}
		return declared;
	}

	/**
	 * What is declared; its ordinal is stored.
	 */
	public enum Kind {

		/** A recurring job, by code. */
		SCHEDULE,

		/** A limit, by configuration. */
		LIMIT,

		/** Which limit the jobs of a type have, by its handler. */
		TYPE

	}

}
