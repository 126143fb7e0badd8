package io.jobqueue.store.jdbc.claim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.DeadJobTypes;
import io.jobqueue.store.TypeRules;

import org.springframework.dao.DuplicateKeyException;

/**
 * The numbers of job types: what a type is called in the claim index, where its jobs were
 * sorted out. A number is made of the type's name, so jobs keep their range even if the
 * table of types is restored or truncated.
 */
public final class JobTypes {

	private static final String SELECT = """
			SELECT id, name FROM jobqueue_type WHERE name IN (:names)""";

	private static final String LIMITS = """
			SELECT name, limit_name FROM jobqueue_type WHERE name IN (:names)""";

	private static final String INSERT = """
			INSERT INTO jobqueue_type (id, name) VALUES (:id, :name)""";

	/** Nothing is written if nothing has changed. */
	private static final String SET_RULES = """
			UPDATE jobqueue_type
			SET max_attempts = :attempts, delay_ms = :delay, multiplier = :multiplier, max_delay_ms = :maxDelay,
			    jitter = :jitter, on_dead = :onDead
			WHERE name = :name
			    AND (max_attempts <> :attempts OR delay_ms <> :delay OR multiplier <> :multiplier
			        OR max_delay_ms <> :maxDelay OR jitter <> :jitter OR on_dead <> :onDead)""";

	private static final String TELL_OF_DEAD = """
			UPDATE jobqueue_type SET dead_handler = 1 WHERE name = :name AND dead_handler = 0""";

	private static final String RETRY = """
			SELECT max_attempts, delay_ms, multiplier, max_delay_ms, jitter
			FROM jobqueue_type
			WHERE name = :name AND max_attempts > 0""";

	private final Database database;

	private final TypeLimits limits;

	public JobTypes(Database database) {
		this.database = database;
		this.limits = new TypeLimits(database);
	}

	/**
	 * The numbers of types, which get one if they have none.
	 * @param names the types, as {@link Dialect#name} has them
	 * @return their numbers
	 */
	Map<String, Integer> ids(Collection<String> names) {
		Map<String, Integer> ids = new HashMap<>();
		for (List<String> chunk : Chunks.of(List.copyOf(new TreeSet<>(names)))) {
			ids.putAll(read(chunk));
			List<String> missing = chunk.stream().filter((name) -> !ids.containsKey(name)).toList();
			if (!missing.isEmpty()) {
				missing.forEach(this::add);
				ids.putAll(read(chunk));
			}
		}
		return ids;
	}

	/**
	 * Writes down what handlers say of the jobs of their types.
	 * @param rules what they say, by type
	 * @return the types' numbers
	 */
	public Map<String, Integer> register(Map<String, TypeRules> rules) {
		Map<String, Integer> ids = ids(rules.keySet());
		Set<String> told = rules.keySet()
			.stream()
			.map(DeadJobTypes::toldOf)
			.filter(Objects::nonNull)
			.collect(Collectors.toCollection(TreeSet::new));
		ids(told);
		// In the order of the names, so that nodes that start together wait for each
		// other instead of deadlocking.
		this.database.transactions().run(() -> {
			new TreeMap<>(rules).forEach(this::setRules);
			told.forEach((type) -> this.database.sql(TELL_OF_DEAD).param("name", type).update());
			return ids;
		});
		this.limits.set(rules);
		return ids;
	}

	/**
	 * Says again which limits the types have.
	 * @return false if types are not there any more, so that they are to be registered
	 */
	public boolean keepLimits(Map<String, TypeRules> rules) {
		if (rules.isEmpty()) {
			return true;
		}
		Map<String, String> there = this.database.read(() -> {
			Map<String, String> limits = new HashMap<>();
			Chunks.of(List.copyOf(rules.keySet()))
				.forEach((chunk) -> this.database.sql(LIMITS).param("names", chunk).query((row) -> {
					limits.put(this.database.dialect().name(row.getString("name")), row.getString("limit_name"));
				}));
			return limits;
		});
		boolean allThere = there.size() == rules.size();
		if (allThere) {
			this.limits.keep(rules, there);
		}
		return allThere;
	}

	private void setRules(String name, TypeRules rules) {
		RetryPolicy retry = rules.retry();
		BackoffPolicy backoff = retry.backoff();
		this.database.sql(SET_RULES)
			.param("name", name)
			.param("attempts", retry.maxAttempts())
			.param("delay", backoff.delay().toMillis())
			.param("multiplier", backoff.multiplier())
			.param("maxDelay", backoff.maxDelay().toMillis())
			.param("jitter", backoff.jitter())
			.param("onDead", rules.onDead().ordinal())
			.update();
	}

	public Optional<RetryPolicy> retryOf(String type) {
		return this.database.read(() -> this.database.sql(RETRY)
			.param("name", type)
			.query((row, number) -> new RetryPolicy(row.getInt("max_attempts"),
					new BackoffPolicy(Duration.ofMillis(row.getLong("delay_ms")), row.getDouble("multiplier"),
							Duration.ofMillis(row.getLong("max_delay_ms")), row.getDouble("jitter")),
					List.of()))
			.optional());
	}

	/**
	 * In a transaction, which runs where the writes do.
	 */
	private Map<String, Integer> read(List<String> names) {
		return this.database.transactions().run(() -> {
			Map<String, Integer> ids = new HashMap<>();
			this.database.sql(SELECT).param("names", names).query((row) -> {
				ids.put(this.database.dialect().name(row.getString("name")), row.getInt("id"));
			});
			return ids;
		});
	}

	private void add(String name) {
		int id = number(name);
		while (!added(id, name) && read(List.of(name)).isEmpty()) {
			// Another type has the number.
			id = next(id);
		}
	}

	private boolean added(int id, String name) {
		try {
			this.database.transactions()
				.run(() -> this.database.sql(INSERT).param("id", id).param("name", name).update());
			return true;
		}
		catch (DuplicateKeyException ex) {
			return false;
		}
	}

	/** Zero is the number of jobs that were not sorted out. */
	private static int number(String name) {
		CRC32 sum = new CRC32();
		sum.update(name.getBytes(StandardCharsets.UTF_8));
		return Math.max(1, (int) (sum.getValue() >>> 1));
	}

	private static int next(int id) {
		return (id == Integer.MAX_VALUE) ? 1 : id + 1;
	}

}
