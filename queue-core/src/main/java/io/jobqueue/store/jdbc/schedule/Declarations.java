package io.jobqueue.store.jdbc.schedule;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.store.SqlFailure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DuplicateKeyException;

/**
 * What the code of nodes declares. Nodes of two versions may run at once, so each says
 * again and again what it has; the newest definition of those that were said lately is
 * stored, by a node that has it. Rows that somebody has locked are passed over: nodes of
 * one version write the same, and one that hangs must not keep the others.
 */
final class Declarations {

	private static final Logger log = LoggerFactory.getLogger(Declarations.class);

	private static final String SAID = """
			SELECT definition_hash
			FROM jobqueue_declaration
			WHERE schedule IN (:names) AND definition_hash IN (:hashes)""";

	private static final String SAID_AND_FREE = SAID + " {lockOrWait}";

	private static final String SAY = """
			UPDATE jobqueue_declaration
			SET seen_at = {now}, revision = CASE WHEN revision < :revision THEN :revision ELSE revision END
			WHERE schedule IN (:names) AND definition_hash IN (:hashes)""";

	private static final String ADD = """
			INSERT INTO jobqueue_declaration (schedule, definition_hash, revision, first_seen_at, seen_at)
			VALUES (:schedule, :hash, :revision, {now}, {now})""";

	/** What was seen far ahead is what a clock has left that was ahead. */
	private static final String READ = """
			SELECT schedule, definition_hash, revision, first_seen_at
			FROM jobqueue_declaration
			WHERE schedule IN (:names) AND seen_at > {now + :before MICROSECOND} AND seen_at < {now + :after MICROSECOND}""";

	private static final String STORED = """
			SELECT name, definition_hash FROM jobqueue_schedule WHERE name IN (:names) AND declared = 1""";

	private static final String LOCK = """
			SELECT id FROM jobqueue_schedule WHERE name IN (:names) AND declared = 1 {lockOrWait}""";

	/** One that rests because no node declared it is to tick again. */
	private static final String HOLD = """
			UPDATE jobqueue_schedule{byPrimary}
			SET due_at = CASE WHEN due_at >= TIMESTAMP '9999-12-31 00:00:00'
			            AND paused_at >= TIMESTAMP '9999-12-31 00:00:00'
			        THEN next_at ELSE due_at END,
			    declared_until = {now + :live MICROSECOND}
			WHERE id IN (:ids)""";

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
		List<String> stored = new ArrayList<>();
		for (List<ScheduleDefinition> some : Chunks.of(List.copyOf(byName.values()))) {
			List<String> names = some.stream().map(ScheduleDefinition::name).toList();
			say(some, names, revision);
			for (ScheduleDefinition one : newest(some, names, live)) {
				if (isStored(one, live)) {
					stored.add(one.name());
				}
			}
			hold(names, live);
		}
		return stored;
	}

	private void say(List<ScheduleDefinition> some, List<String> names, long revision) {
		List<String> hashes = some.stream().map(ScheduleDefinition::hash).toList();
		int said = this.database.transactions().run(LockWaits.SHORT, () -> {
			// Those that are locked are being said by another node.
			List<String> free = said(SAID_AND_FREE, names, hashes);
			return free.isEmpty() ? 0
					: this.database.sql(SAY)
						.param("revision", revision)
						.param("names", names)
						.param("hashes", free)
						.update();
		});
		if (said < some.size()) {
			Set<String> known = new HashSet<>(this.database.transactions().run(() -> said(SAID, names, hashes)));
			some.stream().filter((one) -> !known.contains(one.hash())).forEach((one) -> add(one, revision));
		}
	}

	private List<String> said(String statement, List<String> names, List<String> hashes) {
		return this.database.sql(statement).param("names", names).param("hashes", hashes).query(String.class).list();
	}

	private void add(ScheduleDefinition one, long revision) {
		try {
			this.database.transactions()
				.run(() -> this.database.sql(ADD)
					.param("schedule", one.name())
					.param("hash", one.hash())
					.param("revision", revision)
					.update());
		}
		catch (DuplicateKeyException ex) {
			// Another node was first.
		}
	}

	/**
	 * Those that nobody has a newer definition of, and that are not stored.
	 */
	private List<ScheduleDefinition> newest(List<ScheduleDefinition> own, List<String> names, Duration live) {
		return this.database.transactions().run(() -> {
			Map<String, Declared> newest = new HashMap<>();
			this.database.sql(READ)
				.param("before", -Utc.micros(live))
				.param("after", Utc.micros(live))
				.param("names", names)
				.query((row) -> {
					newest.merge(row.getString("schedule"),
							new Declared(row.getString("definition_hash"), row.getLong("revision"),
									row.getObject("first_seen_at", LocalDateTime.class)),
							(one, other) -> (Declared.BY_AGE.compare(one, other) < 0) ? other : one);
				});
			Map<String, String> stored = new HashMap<>();
			this.database.sql(STORED).param("names", names).query((row) -> {
				stored.put(row.getString("name"), row.getString("definition_hash"));
			});
			return own.stream().filter((one) -> {
				Declared winner = newest.get(one.name());
				return winner != null && winner.hash().equals(one.hash()) && !one.hash().equals(stored.get(one.name()));
			}).toList();
		});
	}

	/**
	 * Whether a definition could be stored. If not, the others are not to wait for it;
	 * the next round tries again.
	 */
	private boolean isStored(ScheduleDefinition one, Duration live) {
		try {
			this.database.transactions().run(LockWaits.SHORT, () -> {
				this.save.declare(one, live);
				return one;
			});
			return true;
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isOutage(ex)) {
				throw ex;
			}
			log.warn("The schedule '{}' that this node declares could not be stored; tried again: {}", one.name(),
					ex.toString());
			return false;
		}
	}

	private void hold(List<String> names, Duration live) {
		this.database.transactions().run(LockWaits.SHORT, () -> {
			List<Long> free = this.database.sql(LOCK).param("names", names).query(Long.class).list();
			return free.isEmpty() ? 0 : this.database.numbers(HOLD).param("live", Utc.micros(live)).ids(free).update();
		});
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
