package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;
import io.jobqueue.store.Claim;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.MaintenanceStore.TypeInQueue;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.jdbc.table.LimitedTypes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;

/**
 * Sorts out ready jobs that stand in the way of a worker which has no handler for them:
 * they stay ready, but in a range of their type, which only workers read that know it.
 * Otherwise each of its claims would have to read over all of them. So it does with jobs
 * of limited types, which claims take from such ranges only. Those with a name that
 * breaks the rule, which nobody will ever have a handler for, are dead.
 */
public final class SortOutJobs {

	private static final Logger log = LoggerFactory.getLogger(SortOutJobs.class);

	private static final String FIND = """
			SELECT id, type
			FROM jobqueue_job{byClaim}
			WHERE state = :state AND type_id = 0 AND queue = :queue AND priority = :priority
			    AND available_at <= {now + :ago MICROSECOND}
			ORDER BY available_at %s
			LIMIT :limit""";

	private static final String OLDEST = FIND.formatted("");

	/** These are in the way of claims from a LIFO queue. */
	private static final String NEWEST = FIND.formatted("DESC");

	private static final String LOCK = """
			SELECT id, fence, session_id
			FROM jobqueue_job{byPrimary}
			WHERE id IN (:ids) AND state = :state AND type_id = 0
			FOR UPDATE SKIP LOCKED""";

	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary} SET type_id = CASE WHEN COALESCE(limit_key, '') = '' THEN :type ELSE -:type END,
			    fence = LEAST(fence, 9223372036854775000) + 1
			WHERE id IN (:ids)""";

	/**
	 * One dive of the claim index for each type and queue. Another program may have
	 * written a number that no type has.
	 */
	private static final String SORTED_OUT = """
			SELECT DISTINCT COALESCE(t.name, CONCAT(:number, j.type_id)), j.queue
			FROM (SELECT type_id, queue
			      FROM jobqueue_job{byClaim}
			      WHERE state IN ({allReady}) AND type_id <> 0
			      GROUP BY state, type_id, queue
			      LIMIT :limit) j
			LEFT JOIN jobqueue_type t ON t.id = ABS(j.type_id)""";

	private final Database database;

	private final JobTypes types;

	private final FlawedJobs flawed;

	private final LimitedTypes limited;

	public SortOutJobs(Database database, JobTypes types, FlawedJobs flawed, LimitedTypes limited) {
		this.limited = limited;
		this.database = database;
		this.types = types;
		this.flawed = flawed;
	}

	public Set<String> sortOut(ReadyRange range, Set<String> own, Duration age, int limit) {
		int state = StateCode.ready(range.degree());
		List<Found> others = this.database.transactions()
			.run(() -> this.database.sql(range.lifo() ? NEWEST : OLDEST)
				.param("state", state)
				.param("queue", range.queue())
				.param("priority", range.priority())
				.param("ago", -Utc.micros(age))
				.param("limit", limit)
				.query((row, number) -> new Found(row.getLong(1), row.getString(2)))
				.list())
			.stream()
			.filter((job) -> !own.contains(job.type()) || this.limited.contains(job.type()))
			.toList();
		Map<String, List<Long>> byType = others.stream()
			.collect(Collectors.groupingBy((job) -> this.database.dialect().name(job.type()),
					Collectors.mapping(Found::id, Collectors.toList())));
		Map<String, Integer> ids = this.types
			.ids(byType.keySet().stream().filter((type) -> FlawedJobs.flawOf(range, type) == null).toList());
		Set<String> moved = new HashSet<>();
		byType.forEach((type, jobs) -> {
			String flaw = FlawedJobs.flawOf(range, type);
			if (flaw != null) {
				if (deadLetter(state, jobs, flaw) > 0) {
					moved.add(type);
				}
				return;
			}
			Integer id = ids.get(type);
			if (id != null && move(state, id, jobs) > 0) {
				moved.add(type);
			}
		});
		return moved;
	}

	private int move(int state, int type, List<Long> jobs) {
		int moved = 0;
		for (List<Long> chunk : Chunks.of(jobs)) {
			moved += this.database.transactions().run(() -> {
				List<Long> locked = lock(state, chunk).stream().map(Claim::id).toList();
				return locked.isEmpty() ? 0 : this.database.numbers(UPDATE).param("type", type).ids(locked).update();
			});
		}
		return moved;
	}

	/**
	 * Others may have locked a part of the archive. The poll loop does not wait for them;
	 * the next round tries again.
	 */
	private int deadLetter(int state, List<Long> jobs, String flaw) {
		int dead = 0;
		try {
			for (List<Long> chunk : Chunks.of(jobs)) {
				dead += this.database.transactions().run(LockWaits.SHORT, () -> {
					List<Claim> locked = lock(state, chunk);
					this.flawed.deadLetter(locked.stream().map((claim) -> new FlawedJobs.Flawed(claim, flaw)).toList());
					return locked.size();
				});
			}
		}
		catch (DataAccessException ex) {
			if (!SqlFailure.isConflict(ex)) {
				throw ex;
			}
			log.debug("Jobs that cannot run are locked, or their place in the archive is", ex);
		}
		return dead;
	}

	private List<Claim> lock(int state, List<Long> ids) {
		return this.database.numbers(LOCK)
			.param("state", state)
			.ids(ids)
			.query((row, number) -> new Claim(row.getLong(1), row.getLong(2), row.getLong(3)));
	}

	public List<TypeInQueue> sortedOut(int limit) {
		return this.database.read(() -> this.database.sql(SORTED_OUT)
			.param("limit", limit)
			.param("number", TypeInQueue.NUMBER)
			.query((row, number) -> new TypeInQueue(row.getString(1), this.database.dialect().name(row.getString(2))))
			.list());
	}

	private record Found(long id, String type) {

	}

}
