package io.jobqueue.store.jdbc.table;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Collection;
import java.util.Comparator;
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

	private static final String SAID = """
			SELECT name, definition_hash FROM jobqueue_declaration
			""" + THESE;

	private static final String SAID_AND_FREE = SAID + " {lockOrWait}";

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
			        THEN 1 ELSE 0 END AS live
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
	 * Says what this node has. Rows that somebody has locked are left for the next time.
	 * @param own a hash of each definition, by name
	 * @param revision of what is declared: the higher, the newer
	 */
	public void say(Map<String, String> own, long revision) {
		for (List<Definition> chunk : Chunks.of(List.copyOf(Definition.of(own)), MOST_PAIRS)) {
			int said = unlessOthersWrite(() -> this.database.transactions().runOneStatement(() -> {
				List<Definition> free = with(SAID_AND_FREE, chunk, revision).query(Definition.class).list();
				return free.isEmpty() ? 0 : with(SAY, free, revision).update();
			}));
			if (said < chunk.size()) {
				Set<Definition> missing = new TreeSet<>(chunk);
				this.database.read(() -> with(SAID, chunk, revision).query(Definition.class).list())
					.forEach(missing::remove);
				missing.forEach((one) -> unlessOthersWrite(() -> addShortly(one, revision)));
			}
		}
	}

	private int addShortly(Definition one, long revision) {
		return this.database.transactions()
			.runSeparately(() -> add(one, revision))
			.orElseGet(() -> this.database.transactions().run(LockWaits.SHORT, () -> add(one, revision)));
	}

	private int add(Definition one, long revision) {
		return this.database.sql(ADD)
			.param("kind", this.kind.ordinal())
			.param("name", one.name())
			.param("hash", one.definitionHash())
			.param("revision", revision)
			.update();
	}

	private JdbcClient.StatementSpec with(String statement, Collection<Definition> definitions, long revision) {
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
		Map<String, Declared> newest = new HashMap<>();
		for (List<String> names : Chunks.of(List.copyOf(own.keySet()))) {
			this.database.sql(READ)
				.param("kind", this.kind.ordinal())
				.param("before", -Utc.micros(live))
				.param("after", Utc.micros(live))
				.param("names", names)
				.query((row) -> {
					String name = row.getString("name");
					LocalDateTime firstSeen = row.getObject("first_seen", LocalDateTime.class);
					Declared one = new Declared(row.getString("definition_hash"), row.getLong("revision"),
							(firstSeen != null) ? firstSeen : LocalDateTime.MIN);
					// What this node has is there, whether it could say so or not.
					if (row.getInt("live") == 1 || (one.revision() == revision && one.hash().equals(own.get(name)))) {
						newest.merge(name, one, Declared::newer);
					}
				});
		}
		Set<String> held = new HashSet<>(own.keySet());
		held.removeIf((name) -> {
			Declared winner = newest.get(name);
			return winner != null && winner.revision() >= revision && !winner.hash().equals(own.get(name));
		});
		return held;
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

	/**
	 * One that this node has.
	 */
	record Definition(String name, String definitionHash) implements Comparable<Definition> {

		static Set<Definition> of(Map<String, String> hashes) {
			Set<Definition> definitions = new TreeSet<>();
			hashes.forEach((name, hash) -> definitions.add(new Definition(name, hash)));
			return definitions;
		}

		@Override
		public int compareTo(Definition other) {
			return Comparator.comparing(Definition::name)
				.thenComparing(Definition::definitionHash)
				.compare(this, other);
		}

	}

	/**
	 * One that some node has.
	 */
	private record Declared(String hash, long revision, LocalDateTime firstSeen) {

		private static final Comparator<Declared> BY_AGE = Comparator.comparingLong(Declared::revision)
			.thenComparing(Declared::firstSeen)
			.thenComparing(Declared::hash);

		Declared newer(Declared other) {
			return (BY_AGE.compare(this, other) < 0) ? other : this;
		}

	}

}
