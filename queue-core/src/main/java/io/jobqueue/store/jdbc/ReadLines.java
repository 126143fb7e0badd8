package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.store.Line;

/**
 * Lists the lines that have ready jobs. The grouping is a skip scan of the claim index:
 * one dive for each line, however many jobs stand in it.
 */
final class ReadLines {

	private static final String SELECT = """
			SELECT line.state, line.queue, line.priority, COALESCE(q.lifo, 0) AS lifo,
			    TIMESTAMPDIFF(MICROSECOND, {now}, line.due_at) AS due_in
			FROM (SELECT state, queue, priority, MIN(available_at) AS due_at
			      FROM jobqueue_job{byClaim}
			      WHERE state IN (0, 2)
			      GROUP BY state, queue, priority) line
			LEFT JOIN jobqueue_queue q ON q.name = line.queue
			WHERE COALESCE(q.paused, 0) = 0""";

	private final Database database;

	ReadLines(Database database) {
		this.database = database;
	}

	List<Line> read() {
		return this.database.sql(SELECT)
			.query((row, number) -> new Line(row.getString("queue"), row.getInt("priority"),
					row.getInt("state") == StateCode.SUSPECT, row.getInt("lifo") == 1,
					Utc.ofMicros(row.getLong("due_in"))))
			.list();
	}

}
