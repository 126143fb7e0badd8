package io.jobqueue.store.jdbc.schedule;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.ScheduleDefinition;

import org.springframework.dao.DuplicateKeyException;

/**
 * What the code of nodes declares. Nodes of two versions may run at once, so each says
 * again and again what it has; the newest definition of those that were said lately is
 * stored, by a node that has it.
 */
final class Declarations {

	private static final String SAY = """
			UPDATE jobqueue_declaration
			SET seen_at = {now}, revision = CASE WHEN revision < :revision THEN :revision ELSE revision END
			WHERE schedule = :schedule AND definition_hash = :hash""";

	private static final String ADD = """
			INSERT INTO jobqueue_declaration (schedule, definition_hash, revision, first_seen_at, seen_at)
			VALUES (:schedule, :hash, :revision, {now}, {now})""";

	private static final String READ = """
			SELECT schedule, definition_hash, revision, first_seen_at
			FROM jobqueue_declaration
			WHERE schedule IN (:names) AND seen_at > {now + :before MICROSECOND}""";

	private static final String STORED = """
			SELECT name, definition_hash
			FROM jobqueue_schedule
			WHERE name IN (:names) AND declared = 1""";

	private static final String UNTIL = """
			SELECT {now + :live MICROSECOND} AS until_utc FROM (SELECT 1 AS one) once""";

	/** One that rests because no node declared it is to tick again. */
	private static final String HOLD = """
			UPDATE jobqueue_schedule
			SET due_at = CASE WHEN due_at >= TIMESTAMP '9999-12-31 00:00:00' AND paused_at >= TIMESTAMP '9999-12-31 00:00:00' THEN next_at
			        ELSE due_at END,
			    declared_until = {now + :live MICROSECOND}
			WHERE name IN (:names) AND declared = 1""";

	private static final String FORGET = """
			DELETE FROM jobqueue_declaration WHERE seen_at < {now + :before MICROSECOND}""";

	private final Database database;

	private final SaveSchedules save;

	Declarations(Database database, SaveSchedules save) {
		this.database = database;
		this.save = save;
	}

	/**
	 * Says what this node's code declares.
	 * @return the names of those whose definition was stored
	 */
	List<String> declare(Collection<ScheduleDefinition> declared, long revision, Duration live) {
		Map<String, ScheduleDefinition> byName = new TreeMap<>();
		declared.forEach((one) -> byName.put(one.name(), one));
		byName.values().forEach((one) -> say(one, revision));
		List<String> stored = new ArrayList<>();
		for (List<String> names : Chunks.of(List.copyOf(byName.keySet()))) {
			this.database.transactions().run(() -> {
				stored.addAll(storeNewest(byName, names, live));
				return this.database.sql(HOLD).param("live", Utc.micros(live)).param("names", names).update();
			});
		}
		return stored;
	}

	private void say(ScheduleDefinition one, long revision) {
		if (update(SAY, one, revision) == 0) {
			try {
				update(ADD, one, revision);
			}
			catch (DuplicateKeyException ex) {
				// Another node was first, or the driver counts what has changed only.
			}
		}
	}

	private int update(String statement, ScheduleDefinition one, long revision) {
		return this.database.transactions()
			.run(() -> this.database.sql(statement)
				.param("schedule", one.name())
				.param("hash", one.hash())
				.param("revision", revision)
				.update());
	}

	private List<String> storeNewest(Map<String, ScheduleDefinition> own, List<String> names, Duration live) {
		Map<String, Declared> newest = newest(names, live);
		Map<String, String> stored = new HashMap<>();
		this.database.sql(STORED).param("names", names).query((row) -> {
			stored.put(row.getString("name"), row.getString("definition_hash"));
		});
		List<String> changed = new ArrayList<>();
		for (String name : names) {
			ScheduleDefinition definition = own.get(name);
			Declared winner = newest.get(name);
			if (definition != null && winner != null && winner.hash().equals(definition.hash())
					&& !definition.hash().equals(stored.get(name))) {
				this.save.declare(definition, until(live));
				changed.add(name);
			}
		}
		return changed;
	}

	private Map<String, Declared> newest(List<String> names, Duration live) {
		Map<String, Declared> newest = new HashMap<>();
		this.database.sql(READ).param("before", -Utc.micros(live)).param("names", names).query((row) -> {
			newest.merge(row.getString("schedule"),
					new Declared(row.getString("definition_hash"), row.getLong("revision"),
							row.getObject("first_seen_at", LocalDateTime.class)),
					(one, other) -> (Declared.BY_AGE.compare(one, other) < 0) ? other : one);
		});
		return newest;
	}

	private LocalDateTime until(Duration live) {
		return this.database.sql(UNTIL)
			.param("live", Utc.micros(live))
			.query((row, number) -> row.getObject("until_utc", LocalDateTime.class))
			.single();
	}

	/**
	 * Forgets what was not said for long.
	 */
	int forget(Duration age) {
		return this.database.transactions()
			.run(() -> this.database.sql(FORGET).param("before", -Utc.micros(age)).update());
	}

	/**
	 * A definition that some node has.
	 */
	private record Declared(String hash, long revision, LocalDateTime firstSeenAt) {

		/** The newest is the greatest. */
		static final Comparator<Declared> BY_AGE = Comparator.comparingLong(Declared::revision)
			.thenComparing(Declared::firstSeenAt)
			.thenComparing(Declared::hash);

	}

}
