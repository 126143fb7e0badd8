package io.jobqueue.store.jdbc.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import io.jobqueue.Limit;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.jdbc.table.Declarations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the limits that this node is configured with, where its configuration is the
 * newest one and was not stored before: what was changed by hand since then is kept.
 */
final class DeclaredLimits {

	private static final Logger log = LoggerFactory.getLogger(DeclaredLimits.class);

	private static final String STORED = """
			SELECT name, declared FROM jobqueue_limit WHERE name IN (:names)""";

	private final Database database;

	private final Declarations declarations;

	private final StoreLimits store;

	/** Names of those whose failure was logged. */
	private final Set<String> failing = ConcurrentHashMap.newKeySet();

	DeclaredLimits(Database database, StoreLimits store) {
		this.database = database;
		this.declarations = new Declarations(database, Declarations.Kind.LIMIT);
		this.store = store;
	}

	/**
	 * Says how this node is configured.
	 * @return the names of the limits that were stored
	 */
	List<String> declare(Collection<Limit> declared, long revision, Duration live) {
		Map<String, Limit> byName = new TreeMap<>();
		declared.forEach((limit) -> byName.put(limit.name(), limit));
		List<String> stored = new ArrayList<>();
		for (List<Limit> some : Chunks.of(List.copyOf(byName.values()))) {
			Map<String, String> hashes = new TreeMap<>();
			some.forEach((limit) -> hashes.put(limit.name(), hash(limit)));
			Set<String> newest = this.declarations.say(hashes, revision, live);
			Map<String, String> there = this.database.read(() -> stored(hashes.keySet()));
			some.stream()
				.filter((limit) -> newest.contains(limit.name()) && !hash(limit).equals(there.get(limit.name())))
				.filter((limit) -> storeIfNewest(limit, revision, live))
				.forEach((limit) -> stored.add(limit.name()));
		}
		return stored;
	}

	/** Not by a format, whose digits would be those of the JVM's language. */
	static String hash(Limit limit) {
		return limit.running() + "/" + limit.starts() + "/" + limit.per().toMillis() + "/" + limit.burst();
	}

	private Map<String, String> stored(Collection<String> names) {
		Map<String, String> stored = new HashMap<>();
		this.database.sql(STORED).param("names", names).query((row) -> {
			stored.put(row.getString("name"), row.getString("declared"));
		});
		return stored;
	}

	/**
	 * Stores a limit. If that fails the others do not wait for it; the next round tries
	 * again.
	 * @return whether it was stored
	 */
	private boolean storeIfNewest(Limit limit, long revision, Duration live) {
		try {
			boolean stored = this.store.declare(limit, hash(limit),
					() -> !this.declarations.newest(Map.of(limit.name(), hash(limit)), revision, live).isEmpty());
			this.failing.remove(limit.name());
			return stored;
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isOutage(ex)) {
				throw ex;
			}
			if (this.failing.add(limit.name())) {
				log.warn("The limit '{}' that this node is configured with could not be stored; tried again: {}",
						limit.name(), ex.toString());
			}
			return false;
		}
	}

}
