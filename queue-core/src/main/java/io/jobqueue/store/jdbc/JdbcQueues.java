package io.jobqueue.store.jdbc;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.QueueMode;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
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

	private static final String SET_MODE = """
			UPDATE jobqueue_queue SET mode = :on WHERE name = :name""";

	private static final String MODE = """
			SELECT mode FROM jobqueue_queue WHERE name = :name FOR UPDATE""";

	private static final String ROW_LOCK = """
			SELECT name FROM jobqueue_queue WHERE mode = 1""";

	private static final String PAUSED = """
			SELECT name FROM jobqueue_queue WHERE paused = 1""";

	/**
	 * An index dive for each state and type, since a queue comes after these.
	 */
	private static final String KNOWN = """
			SELECT COUNT(*)
			FROM (SELECT name FROM jobqueue_queue WHERE name = :name
			      UNION ALL
			      SELECT part.queue
			      FROM (SELECT state, type_id, queue FROM jobqueue_job{byClaim} GROUP BY state, type_id, queue) part
			      WHERE part.queue = :name) known""";

	private static final String TYPES = """
			SELECT name FROM jobqueue_type""";

	private static final String ARCHIVED = """
			SELECT state, COUNT(*) AS jobs FROM jobqueue_archive{byFinished} GROUP BY state""";

	private final Database database;

	private final FindJobs find;

	private final ReadDepths depths;

	private final TableSizes tables;

	/**
	 * Creates the operators' statements.
	 * @param database the database, with the queue's tables in it
	 */
	public JdbcQueues(Database database) {
		this.database = database;
		this.find = new FindJobs(database);
		this.depths = new ReadDepths(database);
		this.tables = new TableSizes(database);
	}

	@Override
	public void setPaused(String queue, boolean paused) {
		set(SET_PAUSED, queue, paused);
	}

	@Override
	public void setLifo(String queue, boolean lifo) {
		set(SET_LIFO, queue, lifo);
	}

	@Override
	public QueueMode setMode(String queue, QueueMode mode) {
		ensureRow(queue);
		return this.database.transactions().run(() -> {
			int before = this.database.sql(MODE).param("name", queue).query(Integer.class).single();
			this.database.sql(SET_MODE).param("on", mode.ordinal()).param("name", queue).update();
			return StateCode.mode(before).orElse(QueueMode.STANDARD);
		});
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
	public boolean isKnown(String queue) {
		return this.database
			.read(() -> this.database.sql(KNOWN).param("name", queue).query(Integer.class).single()) > 0;
	}

	@Override
	public Set<String> types() {
		return Set.copyOf(this.database.read(() -> this.database.sql(TYPES).query(String.class).list()));
	}

	@Override
	public Set<String> paused() {
		return Set.copyOf(this.database.read(() -> this.database.sql(PAUSED).query(String.class).list()));
	}

	@Override
	public Set<String> rowLock() {
		return Set.copyOf(this.database.read(() -> this.database.sql(ROW_LOCK).query(String.class).list()));
	}

	@Override
	public List<Depth> depths() {
		return this.depths.read();
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
	public Map<String, TableSize> tables() {
		return this.tables.read();
	}

	@Override
	public List<Job> newestDead(int limit) {
		return this.find.newestDead(limit);
	}

}
