package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.store.Queues;

import org.springframework.dao.DuplicateKeyException;

/**
 * The statements of what operators see and set.
 */
public class JdbcQueues implements Queues {

	private static final String EXISTS = """
			SELECT COUNT(*) FROM jobqueue_queue WHERE name = :name""";

	private static final String INSERT = """
			INSERT INTO jobqueue_queue (name) VALUES (:name)""";

	private static final String SET_PAUSED = """
			UPDATE jobqueue_queue SET paused = :on WHERE name = :name""";

	private static final String SET_LIFO = """
			UPDATE jobqueue_queue SET lifo = :on WHERE name = :name""";

	private static final String PAUSED = """
			SELECT name FROM jobqueue_queue WHERE paused = 1""";

	/**
	 * The inner grouping is that of the index, so that a million jobs are counted as they
	 * are read.
	 */
	private static final String DEPTHS = """
			SELECT depth.queue, COALESCE(q.paused, 0) AS paused, COALESCE(q.lifo, 0) AS lifo, depth.due, depth.ready,
			    depth.running, COALESCE(TIMESTAMPDIFF(MICROSECOND, depth.oldest, {now}), 0) AS oldest_age
			FROM (SELECT line.queue,
			          SUM(CASE WHEN line.state <> 1 THEN line.due ELSE 0 END) AS due,
			          SUM(CASE WHEN line.state <> 1 THEN line.jobs ELSE 0 END) AS ready,
			          SUM(CASE WHEN line.state = 1 THEN line.jobs ELSE 0 END) AS running,
			          MIN(CASE WHEN line.state <> 1 AND line.oldest <= {now} THEN line.oldest END) AS oldest
			      FROM (SELECT state, queue, COUNT(*) AS jobs, MIN(available_at) AS oldest,
			                SUM(CASE WHEN available_at <= {now} THEN 1 ELSE 0 END) AS due
			            FROM jobqueue_job{byClaim}
			            GROUP BY state, queue) line
			      GROUP BY line.queue) depth
			LEFT JOIN jobqueue_queue q ON q.name = depth.queue
			UNION ALL
			SELECT q.name, q.paused, q.lifo, 0, 0, 0, 0
			FROM jobqueue_queue q
			WHERE NOT EXISTS (SELECT 1 FROM jobqueue_job j WHERE j.state IN (0, 1, 2) AND j.queue = q.name)
			ORDER BY 1""";

	private static final String ARCHIVED = """
			SELECT state, COUNT(*) AS jobs FROM jobqueue_archive{byFinished} GROUP BY state""";

	private final Database database;

	private final FindJobs find;

	/**
	 * Creates the operators' statements.
	 * @param database the database, with the queue's tables in it
	 */
	public JdbcQueues(Database database) {
		this.database = database;
		this.find = new FindJobs(database);
	}

	@Override
	public void setPaused(String queue, boolean paused) {
		set(SET_PAUSED, queue, paused);
	}

	@Override
	public void setLifo(String queue, boolean lifo) {
		set(SET_LIFO, queue, lifo);
	}

	private void set(String update, String queue, boolean on) {
		ensureRow(queue);
		this.database.transactions()
			.run(() -> this.database.sql(update).param("on", on ? 1 : 0).param("name", queue).update());
	}

	private void ensureRow(String queue) {
		try {
			this.database.transactions().run(() -> {
				if (this.database.sql(EXISTS).param("name", queue).query(Integer.class).single() == 0) {
					this.database.sql(INSERT).param("name", queue).update();
				}
				return queue;
			});
		}
		catch (DuplicateKeyException ex) {
			// Another node was first; the row is there, which is all that is wanted.
		}
	}

	@Override
	public Set<String> paused() {
		return Set.copyOf(this.database.read(() -> this.database.sql(PAUSED).query(String.class).list()));
	}

	@Override
	public List<Depth> depths() {
		return this.database.sql(DEPTHS).query((row, number) -> {
			long due = row.getLong("due");
			return new Depth(row.getString("queue"), row.getInt("paused") == 1, row.getInt("lifo") == 1, due,
					row.getLong("ready") - due, row.getLong("running"),
					Duration.ofMillis(row.getLong("oldest_age") / 1_000));
		}).list();
	}

	@Override
	public Map<JobState, Long> archived() {
		Map<JobState, Long> counts = new EnumMap<>(JobState.class);
		this.database.sql(ARCHIVED).query((row) -> {
			counts.put(StateCode.toState(row.getInt("state")), row.getLong("jobs"));
		});
		return counts;
	}

	@Override
	public List<Job> newestDead(int limit) {
		return this.find.newestDead(limit);
	}

}
