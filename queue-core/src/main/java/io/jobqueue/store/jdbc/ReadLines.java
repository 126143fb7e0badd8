package io.jobqueue.store.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.store.JobStore;
import io.jobqueue.store.Line;

/**
 * Lists the lines that have ready jobs. The grouping is a skip scan of the claim index:
 * one dive for each line, however many jobs stand in it. The heartbeats of the worker's
 * session show how old a copy of the data was read.
 */
final class ReadLines {

	private static final String SELECT = """
			SELECT s.beats, line.state, line.queue, line.priority, COALESCE(q.lifo, 0) AS lifo,
			    TIMESTAMPDIFF(MICROSECOND, {now}, line.due_at) AS due_in
			FROM (SELECT COALESCE(MAX(beats), -1) AS beats FROM jobqueue_session WHERE id = :session) s
			LEFT JOIN (SELECT state, queue, priority, MIN(available_at) AS due_at
			           FROM jobqueue_job{byClaim}
			           WHERE state IN (0, 2)
			           GROUP BY state, queue, priority) line ON 1 = 1
			LEFT JOIN jobqueue_queue q ON q.name = line.queue
			WHERE COALESCE(q.paused, 0) = 0""";

	private final Database database;

	ReadLines(Database database) {
		this.database = database;
	}

	JobStore.Lines read(long sessionId, boolean inTransaction) {
		return inTransaction ? this.database.transactions().run(() -> read(sessionId))
				: this.database.read(() -> read(sessionId));
	}

	private JobStore.Lines read(long sessionId) {
		List<Line> lines = new ArrayList<>();
		// There is no row that tells it if every queue that has jobs is paused.
		AtomicLong beats = new AtomicLong(Long.MAX_VALUE);
		this.database.sql(SELECT).param("session", sessionId).query((row) -> {
			beats.set(row.getLong("beats"));
			if (row.getString("queue") != null) {
				lines.add(new Line(row.getString("queue"), row.getInt("priority"),
						row.getInt("state") == StateCode.SUSPECT, row.getInt("lifo") == 1,
						Utc.ofMicros(row.getLong("due_in"))));
			}
		});
		return new JobStore.Lines(lines, beats.get());
	}

}
