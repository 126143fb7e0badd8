package io.jobqueue.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.jobqueue.QueueMode;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.Queues.Depth;

/**
 * Counts the jobs of each queue.
 */
final class ReadDepths {

	private static final String SETTINGS = """
			SELECT name, paused, lifo, mode FROM jobqueue_queue""";

	/**
	 * The inner grouping is that of the index, so that a million jobs are counted as they
	 * are read.
	 */
	private static final String DEPTHS = """
			SELECT part.queue,
			    SUM(CASE WHEN part.state NOT IN (1, 9, 10) THEN part.due ELSE 0 END) AS due,
			    SUM(CASE WHEN part.state NOT IN (1, 9, 10) THEN part.jobs ELSE 0 END) AS ready,
			    SUM(CASE WHEN part.state IN (9, 10) THEN part.jobs ELSE 0 END) AS waiting,
			    SUM(CASE WHEN part.state = 1 THEN part.jobs ELSE 0 END) AS running,
			    SUM(CASE WHEN part.state IN ({suspect}) THEN part.jobs ELSE 0 END) AS suspects,
			    COALESCE(TIMESTAMPDIFF(MICROSECOND,
			        MIN(CASE WHEN part.state NOT IN (1, 9, 10) AND part.oldest <= {now} THEN part.oldest END), {now}), 0) AS oldest_age
			FROM (SELECT state, type_id, queue, COUNT(*) AS jobs, MIN(available_at) AS oldest,
			          SUM(CASE WHEN available_at <= {now} THEN 1 ELSE 0 END) AS due
			      FROM jobqueue_job{byClaim}
			      GROUP BY state, type_id, queue) part
			GROUP BY part.queue
			ORDER BY part.queue""";

	/** Jobs of row-lock queues that run, and look ready. */
	private static final String BEGUN = """
			SELECT j.id, j.queue
			FROM jobqueue_start s JOIN jobqueue_job j{byPrimary} ON j.id = s.job_id AND j.fence = s.fence - 1 AND j.state = 0
			WHERE s.freed = 0""";

	/** A dive for each of a few groups. */
	private static final String GROUPS = """
			SELECT state, type_id, queue, priority FROM jobqueue_job{byClaim} GROUP BY state, type_id, queue, priority""";

	private static final String FIRST = """
			SELECT id, TIMESTAMPDIFF(MICROSECOND, available_at, {now}) AS age
			FROM jobqueue_job{byClaim}
			WHERE state = :state AND type_id = :typeId AND queue = :queue AND priority = :priority AND available_at <= {now}
			ORDER BY available_at, id
			LIMIT :limit""";

	private final Database database;

	ReadDepths(Database database) {
		this.database = database;
	}

	List<Depth> read() {
		Map<String, Depth> depths = new TreeMap<>();
		this.database.sql(SETTINGS).query((row) -> {
			String queue = row.getString("name");
			depths.put(queue, Depth.empty(queue, row.getInt("paused") == 1, row.getInt("lifo") == 1,
					StateCode.mode(row.getInt("mode")).orElse(QueueMode.STANDARD)));
		});
		Map<String, List<Long>> begun = depths.values().stream().anyMatch((depth) -> depth.mode() == QueueMode.ROW_LOCK)
				? begun() : Map.of();
		Map<String, Duration> oldest = begun.isEmpty() ? Map.of() : oldestBut(begun);
		this.database.sql(DEPTHS).query((row) -> {
			String queue = this.database.dialect().name(row.getString("queue"));
			Depth setting = depths.getOrDefault(queue, Depth.empty(queue, false, false, QueueMode.STANDARD));
			long due = row.getLong("due");
			// Read a moment apart.
			long running = Math.min(due, begun.getOrDefault(queue, List.of()).size());
			Duration age = begun.containsKey(queue) ? oldest.getOrDefault(queue, Duration.ZERO)
					: Duration.ofMillis(row.getLong("oldest_age") / 1_000);
			depths.put(queue,
					new Depth(queue, setting.paused(), setting.lifo(), setting.mode(), due - running,
							row.getLong("ready") - due, row.getLong("waiting"), row.getLong("running") + running,
							row.getLong("suspects"), age));
		});
		return List.copyOf(depths.values());
	}

	private Map<String, List<Long>> begun() {
		Map<String, List<Long>> begun = new HashMap<>();
		this.database.sql(BEGUN).query((row) -> {
			begun.computeIfAbsent(this.database.dialect().name(row.getString("queue")), (queue) -> new ArrayList<>())
				.add(row.getLong("id"));
		});
		return begun;
	}

	/**
	 * A job that runs does not wait. Among the first of a group, one more than run, there
	 * is the first that waits.
	 */
	private Map<String, Duration> oldestBut(Map<String, List<Long>> begun) {
		Map<String, Duration> oldest = new HashMap<>();
		for (Group group : this.database.sql(GROUPS).query((row, number) -> Group.of(row)).list()) {
			String queue = this.database.dialect().name(group.queue());
			List<Long> running = begun.get(queue);
			if (running != null && group.state() != StateCode.RUNNING && group.state() != StateCode.WAITING
					&& group.state() != StateCode.LIMITED) {
				this.database.sql(FIRST)
					.param("state", group.state())
					.param("typeId", group.typeId())
					.param("queue", group.queue())
					.param("priority", group.priority())
					.param("limit", running.size() + 1)
					.query((row, number) -> Map.entry(row.getLong("id"), Duration.ofMillis(row.getLong("age") / 1_000)))
					.list()
					.stream()
					.filter((job) -> !running.contains(job.getKey()))
					.findFirst()
					.ifPresent((job) -> oldest.merge(queue, job.getValue(),
							(one, other) -> (one.compareTo(other) > 0) ? one : other));
			}
		}
		return oldest;
	}

	/**
	 * Jobs that stand together in the index.
	 */
	private record Group(int state, int typeId, String queue, int priority) {

		static Group of(ResultSet row) throws SQLException {
			return new Group(row.getInt("state"), row.getInt("type_id"), row.getString("queue"),
					row.getInt("priority"));
		}

	}

}
