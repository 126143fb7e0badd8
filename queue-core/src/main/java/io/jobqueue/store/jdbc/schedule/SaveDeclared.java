package io.jobqueue.store.jdbc.schedule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.jdbc.table.Declarations;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the schedules that the code of this node declares, where its definition is the
 * newest one.
 */
final class SaveDeclared {

	private static final Logger log = LoggerFactory.getLogger(SaveDeclared.class);

	private static final String STORED = """
			SELECT name, definition_hash,
			    CASE WHEN declared_until > {now + :enough MICROSECOND} AND declared_until < {now + :twice MICROSECOND}
			            AND (due_at < TIMESTAMP '9999-12-31 00:00:00' OR paused_at < TIMESTAMP '9999-12-31 00:00:00'
			                OR next_at >= TIMESTAMP '9999-12-31 00:00:00')
			        THEN 1 ELSE 0 END AS held
			FROM jobqueue_schedule
			WHERE name IN (:names) AND declared = 1""";

	private static final String LOCK_ONE = """
			SELECT name FROM jobqueue_schedule WHERE name = :name FOR UPDATE""";

	private static final String LOCK = """
			SELECT id FROM jobqueue_schedule WHERE name IN (:names) AND declared = 1 {lockOrWait}""";

	/**
	 * One that rests because no node declared it is to tick again. A time that is none is
	 * taken as over, and told of at the next tick.
	 */
	private static final String HOLD = """
			UPDATE jobqueue_schedule{byPrimary}
			SET due_at = CASE WHEN due_at >= TIMESTAMP '9999-12-31 00:00:00'
			            AND paused_at >= TIMESTAMP '9999-12-31 00:00:00'
			        THEN {readable next_at} ELSE {readable due_at} END,
			    declared_until = {now + :live MICROSECOND}
			WHERE id IN (:ids)""";

	private final Database database;

	private final Declarations declarations;

	private final SaveSchedules save;

	/** Names of those whose failure was logged. */
	private final Set<String> failing = ConcurrentHashMap.newKeySet();

	SaveDeclared(Database database, SaveSchedules save) {
		this.database = database;
		this.declarations = new Declarations(database, Declarations.Kind.SCHEDULE);
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
			Map<String, String> hashes = new TreeMap<>();
			some.forEach((one) -> hashes.put(one.name(), one.hash()));
			Set<String> newest = this.declarations.say(hashes, revision, live);
			Map<String, Stored> there = this.database.read(() -> stored(hashes.keySet(), live));
			// First: one that cannot be stored must not let the others rest.
			holdEach(there.values().stream().filter((one) -> !one.held()).map(Stored::name).toList(), live);
			some.stream()
				.filter((one) -> newest.contains(one.name()) && !Stored.is(one, there.get(one.name())))
				.filter((one) -> storeIfNewest(one, revision, live))
				.forEach((one) -> stored.add(one.name()));
		}
		return stored;
	}

	private Map<String, Stored> stored(Collection<String> names, Duration live) {
		Map<String, Stored> stored = new HashMap<>();
		this.database.sql(STORED)
			.param("names", names)
			.param("enough", 2 * Utc.micros(live) / 3)
			.param("twice", 2 * Utc.micros(live))
			.query((row) -> {
				Stored one = new Stored(row.getString("name"), row.getString("definition_hash"),
						row.getInt("held") == 1);
				stored.put(one.name(), one);
			});
		return stored;
	}

	/**
	 * Stores a definition. If that fails the others do not wait for it; the next round
	 * tries again.
	 * @return whether it was stored
	 */
	private boolean storeIfNewest(ScheduleDefinition one, long revision, Duration live) {
		try {
			boolean stored = this.database.transactions().run(LockWaits.SHORT, () -> {
				this.database.sql(LOCK_ONE).param("name", one.name()).query(String.class).list();
				// Another version may have come meanwhile.
				if (this.declarations.newest(Map.of(one.name(), one.hash()), revision, live).isEmpty()) {
					return false;
				}
				this.save.declare(one, live);
				return true;
			});
			this.failing.remove(one.name());
			return stored;
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isOutage(ex)) {
				throw ex;
			}
			if (this.failing.add(one.name())) {
				log.warn("The schedule '{}' that this node declares could not be stored; tried again: {}", one.name(),
						ex.toString());
			}
			return false;
		}
	}

	/**
	 * Where that fails for many at once, it is done for each alone.
	 */
	private void holdEach(List<String> names, Duration live) {
		try {
			hold(names, live);
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isOutage(ex)) {
				throw ex;
			}
			if (names.size() > 1) {
				names.forEach((name) -> holdEach(List.of(name), live));
			}
			else if (this.failing.add(names.get(0))) {
				log.warn("The schedule '{}' that this node declares could not be kept from resting; tried again: {}",
						names.get(0), ex.toString());
			}
		}
	}

	private void hold(List<String> names, Duration live) {
		if (names.isEmpty()) {
			return;
		}
		this.database.transactions().runOneStatement(() -> {
			List<Long> free = this.database.sql(LOCK).param("names", names).query(Long.class).list();
			return free.isEmpty() ? 0 : this.database.numbers(HOLD).param("live", Utc.micros(live)).ids(free).update();
		});
	}

	/**
	 * A schedule that is there.
	 *
	 * @param held whether it ticks, and will for long enough even if this round fails
	 */
	private record Stored(String name, String hash, boolean held) {

		static boolean is(ScheduleDefinition definition, @Nullable Stored stored) {
			return stored != null && stored.hash().equals(definition.hash());
		}

	}

}
