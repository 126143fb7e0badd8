package io.jobqueue.store.jdbc.table;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.LockWaits;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What the code or the configuration of nodes declares. Nodes of two versions may run at
 * once, so each says again and again what it has; the newest definition of those that
 * were said lately holds. Rows that somebody has locked are passed over: nodes of one
 * version write the same, and one that hangs must not keep the others.
 */
public final class Declarations {

	private static final String THESE = """
			FROM jobqueue_declaration
			WHERE kind = :kind AND (name, definition_hash) IN (:definitions)""";

	private static final String SAID = "SELECT name, definition_hash " + THESE;

	private static final String SAID_AND_FREE = SAID + " {lockOrWait}";

	private static final String SAY = """
			UPDATE jobqueue_declaration
			SET seen_at = {now}, revision = CASE WHEN revision < :revision THEN :revision ELSE revision END
			WHERE kind = :kind AND (name, definition_hash) IN (:definitions)""";

	private static final String ADD = """
			INSERT INTO jobqueue_declaration (kind, name, definition_hash, revision, first_seen_at, seen_at)
			VALUES (:kind, :name, :hash, :revision, {now}, {now})""";

	/** What was seen far ahead is what a clock has left that was ahead. */
	private static final String READ = """
			SELECT name, definition_hash, revision, first_seen_at
			FROM jobqueue_declaration
			WHERE kind = :kind AND name IN (:names)
			    AND seen_at > {now + :before MICROSECOND} AND seen_at < {now + :after MICROSECOND}""";

	private static final String FORGET = """
			DELETE FROM jobqueue_declaration WHERE seen_at < {now + :before MICROSECOND}""";

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
	 * Says what this node has.
	 * @param own a hash of each definition, by name; not too many
	 * @param revision of what is declared: the higher, the newer
	 */
	public void say(Map<String, String> own, long revision) {
		Set<Definition> definitions = Definition.of(own);
		int said = this.database.transactions().run(LockWaits.SHORT, () -> {
			// Those that are locked are being said by another node.
			Set<Definition> free = said(SAID_AND_FREE, definitions);
			return free.isEmpty() ? 0 : with(SAY, free).param("revision", revision).update();
		});
		if (said < definitions.size()) {
			Set<Definition> missing = new HashSet<>(definitions);
			missing.removeAll(this.database.transactions().run(() -> said(SAID, definitions)));
			missing.forEach((one) -> add(one, revision));
		}
	}

	private Set<Definition> said(String statement, Set<Definition> definitions) {
		return with(statement, definitions)
			.query((row, number) -> new Definition(row.getString("name"), row.getString("definition_hash")))
			.set();
	}

	private JdbcClient.StatementSpec with(String statement, Set<Definition> definitions) {
		List<Object[]> values = definitions.stream().map((one) -> new Object[] { one.name(), one.hash() }).toList();
		return this.database.sql(statement).param("kind", this.kind.ordinal()).param("definitions", values);
	}

	private void add(Definition one, long revision) {
		try {
			this.database.transactions()
				.run(() -> this.database.sql(ADD)
					.param("kind", this.kind.ordinal())
					.param("name", one.name())
					.param("hash", one.hash())
					.param("revision", revision)
					.update());
		}
		catch (DuplicateKeyException ex) {
			// Another node was first.
		}
	}

	/**
	 * Of what this node has, the definitions than which nobody has a newer one. The
	 * newest is that of the highest revision, and of these the one that was first seen
	 * later. Part of the transaction that is open.
	 * @param own a hash of each definition, by name; not too many
	 * @param live for how long holds what a node has said
	 * @return their names
	 */
	public Set<String> newest(Map<String, String> own, Duration live) {
		Map<String, Declared> newest = new HashMap<>();
		this.database.sql(READ)
			.param("kind", this.kind.ordinal())
			.param("before", -Utc.micros(live))
			.param("after", Utc.micros(live))
			.param("names", own.keySet())
			.query((row) -> {
				newest.merge(row.getString("name"),
						new Declared(row.getString("definition_hash"), row.getLong("revision"),
								row.getObject("first_seen_at", LocalDateTime.class)),
						(one, other) -> (Declared.BY_AGE.compare(one, other) < 0) ? other : one);
			});
		Map<String, String> held = new TreeMap<>(own);
		held.entrySet().removeIf((one) -> {
			Declared winner = newest.get(one.getKey());
			return winner == null || !winner.hash().equals(one.getValue());
		});
		return held.keySet();
	}

	/**
	 * Forgets what was not said for long, of any kind.
	 * @param database the database
	 * @param age for how long
	 * @return how many definitions were forgotten
	 */
	public static int forget(Database database, Duration age) {
		return database.transactions().run(() -> database.sql(FORGET).param("before", -Utc.micros(age)).update());
	}

	/**
	 * What is declared; its ordinal is stored.
	 */
	public enum Kind {

		/** A recurring job, by code. */
		SCHEDULE,

		/** A limit, by configuration. */
		LIMIT

	}

	/**
	 * One that this node has.
	 */
	private record Definition(String name, String hash) {

		static Set<Definition> of(Map<String, String> hashes) {
			Set<Definition> definitions = new HashSet<>();
			hashes.forEach((name, hash) -> definitions.add(new Definition(name, hash)));
			return definitions;
		}

	}

	/**
	 * One that some node has.
	 */
	private record Declared(String hash, long revision, LocalDateTime firstSeenAt) {

		/** The newest is the greatest. */
		static final Comparator<Declared> BY_AGE = Comparator.comparingLong(Declared::revision)
			.thenComparing(Declared::firstSeenAt)
			.thenComparing(Declared::hash);

	}

}
