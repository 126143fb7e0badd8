package io.jobqueue.test;

import java.util.List;

import io.jobqueue.database.Database;

/**
 * What belongs to jobs, schedules and keys. What nodes say of types and limits stays.
 */
final class Tables {

	private static final List<String> ALL = List.of("job", "payload", "archive", "error", "unique_key", "start",
			"schedule", "tick", "declaration", "order_key", "order_place", "order_change", "order_block", "allowance",
			"limit_running", "limit_place", "dead_job", "operation", "audit", "history", "queue", "quarantine");

	private Tables() {
	}

	static void clear(Database database) {
		database.transactions().run(() -> {
			ALL.forEach((table) -> database.template().update("DELETE FROM jobqueue_" + table));
			return true;
		});
	}

}
