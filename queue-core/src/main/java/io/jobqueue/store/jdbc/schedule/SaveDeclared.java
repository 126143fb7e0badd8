package io.jobqueue.store.jdbc.schedule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.jdbc.table.Declarations;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the schedules that the code of this node declares, where its definition is the
 * newest one.
 */
final class SaveDeclared {

	private static final Logger log = LoggerFactory.getLogger(SaveDeclared.class);

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

	private final Database database;

	private final Declarations declarations;

	private final SaveSchedules save;

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
			this.declarations.say(hashes, revision);
			Set<String> toBeStored = toBeStored(hashes, live);
			some.stream()
				.filter((one) -> toBeStored.contains(one.name()) && isStored(one, live))
				.forEach((one) -> stored.add(one.name()));
			hold(hashes.keySet(), live);
		}
		return stored;
	}

	/**
	 * Those that nobody has a newer definition of, and that are not stored.
	 */
	private Set<String> toBeStored(Map<String, String> own, Duration live) {
		return this.database.transactions().run(() -> {
			Map<String, String> stored = new HashMap<>();
			this.database.sql(STORED).param("names", own.keySet()).query((row) -> {
				stored.put(row.getString("name"), row.getString("definition_hash"));
			});
			return this.declarations.newest(own, live)
				.stream()
				.filter((name) -> !own.getOrDefault(name, "").equals(stored.get(name)))
				.collect(Collectors.toSet());
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

	private void hold(Collection<String> names, Duration live) {
		this.database.transactions().run(LockWaits.SHORT, () -> {
			List<Long> free = this.database.sql(LOCK).param("names", names).query(Long.class).list();
			return free.isEmpty() ? 0 : this.database.numbers(HOLD).param("live", Utc.micros(live)).ids(free).update();
		});
	}

}
