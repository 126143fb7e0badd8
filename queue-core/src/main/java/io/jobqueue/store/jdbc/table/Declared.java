package io.jobqueue.store.jdbc.table;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.jobqueue.database.Dialect;
import io.jobqueue.database.Utc;

/**
 * A definition that some node has declared.
 *
 * @param definition the definition
 * @param revision the higher, the newer
 * @param firstSeen when it was declared first, in UTC
 * @param live whether some node has said so lately
 * @param fresh whether that will do for a while
 */
record Declared(Definition definition, long revision, LocalDateTime firstSeen, boolean live, boolean fresh) {

	private static final Comparator<Declared> BY_AGE = Comparator.comparingLong(Declared::revision)
		.thenComparing(Declared::firstSeen)
		.thenComparing((one) -> one.definition().definitionHash());

	static Declared of(ResultSet row, Dialect dialect) throws SQLException {
		return new Declared(new Definition(dialect.name(row.getString("name")), row.getString("definition_hash")),
				row.getLong("revision"), Utc.orEpoch(row.getObject("first_seen", LocalDateTime.class)),
				row.getInt("live") == 1, row.getInt("fresh") == 1);
	}

	boolean isOf(Map<String, String> own) {
		return this.definition.definitionHash().equals(own.get(this.definition.name()));
	}

	Declared newer(Declared other) {
		return (BY_AGE.compare(this, other) < 0) ? other : this;
	}

	/**
	 * What is declared.
	 *
	 * @param name its name
	 * @param definitionHash what differs between two definitions that differ
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

}
