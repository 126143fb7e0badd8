package io.jobqueue.test;

import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.jobqueue.database.Database;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Which jobs the application's worker runs.
 *
 * @param types the types that it has handlers for
 * @param queues the queues that it serves; empty for all
 */
record Served(List<String> types, List<String> queues) {

	private static final String OF_QUEUES = " AND j.queue IN (:queues)";

	/** An empty list would be no SQL. */
	private static final List<String> NO_TYPE = List.of("");

	private static final String DUE_WITHOUT_HANDLER = """
			SELECT DISTINCT j.type FROM jobqueue_job j
			WHERE j.state IN ({notRunning}) AND j.available_at <= {now} AND j.type NOT IN (:types)
			  AND NOT EXISTS (SELECT 1 FROM jobqueue_queue q WHERE q.name = j.queue AND q.paused <> 0)""";

	boolean isNothing() {
		return this.types.isEmpty();
	}

	/**
	 * The types of jobs that are due, in queues that are served, and have no handler.
	 */
	Set<String> dueWithoutHandler(Database database) {
		return statement(database::sql, DUE_WITHOUT_HANDLER)
			.query((row, number) -> database.dialect().name(row.getString(1)))
			.set();
	}

	/**
	 * A statement about these jobs.
	 * @param sql where
	 * @param select what is read of jobs {@code j}, whose condition comes last and has
	 * {@code :types}
	 */
	JdbcClient.StatementSpec statement(Function<String, JdbcClient.StatementSpec> sql, String select) {
		JdbcClient.StatementSpec statement = sql.apply(this.queues.isEmpty() ? select : select + OF_QUEUES)
			.param("types", this.types.isEmpty() ? NO_TYPE : this.types);
		return this.queues.isEmpty() ? statement : statement.param("queues", this.queues);
	}

}
