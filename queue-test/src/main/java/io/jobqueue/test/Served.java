package io.jobqueue.test;

import java.util.List;
import java.util.function.Function;

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

	boolean isNothing() {
		return this.types.isEmpty();
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
