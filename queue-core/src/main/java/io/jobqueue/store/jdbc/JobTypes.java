package io.jobqueue.store.jdbc;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import org.springframework.dao.DuplicateKeyException;

/**
 * The numbers of job types: what a type is called in the claim index, where its jobs were
 * sorted out. A number is never given to another type.
 */
final class JobTypes {

	private static final String SELECT = """
			SELECT id, name FROM jobqueue_type WHERE name IN (:names)""";

	private static final String INSERT = """
			INSERT INTO jobqueue_type (name) VALUES (:name)""";

	private final Database database;

	JobTypes(Database database) {
		this.database = database;
	}

	Map<String, Integer> ids(Collection<String> names) {
		Map<String, Integer> ids = new HashMap<>();
		for (List<String> chunk : Chunks.of(List.copyOf(new TreeSet<>(names)))) {
			ids.putAll(read(chunk));
			chunk.stream().filter((name) -> !ids.containsKey(name)).forEach(this::add);
			ids.putAll(read(chunk));
		}
		return ids;
	}

	/**
	 * In a transaction, which runs where the writes do.
	 */
	private Map<String, Integer> read(List<String> names) {
		return this.database.transactions().run(() -> {
			Map<String, Integer> ids = new HashMap<>();
			this.database.sql(SELECT).param("names", names).query((row) -> {
				ids.put(row.getString("name"), row.getInt("id"));
			});
			return ids;
		});
	}

	private void add(String name) {
		try {
			this.database.transactions().run(() -> this.database.sql(INSERT).param("name", name).update());
		}
		catch (DuplicateKeyException ex) {
			// Another node was first; the row is there, which is all that is wanted.
		}
	}

}
