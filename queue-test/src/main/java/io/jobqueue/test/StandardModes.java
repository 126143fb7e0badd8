package io.jobqueue.test;

import java.util.Map;
import java.util.stream.Collectors;

import io.jobqueue.database.Database;

/**
 * Lets the jobs of all queues run as those of standard ones for a while: others have
 * commits of their own, which would commit the transaction of a test.
 */
final class StandardModes {

	private final Database database;

	/** The modes that queues have otherwise. */
	private final Map<String, Integer> modes;

	StandardModes(Database database) {
		this.database = database;
		this.modes = database.sql("SELECT name, mode FROM jobqueue_queue WHERE mode <> 0")
			.query((row, number) -> Map.entry(row.getString(1), row.getInt(2)))
			.list()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
		this.modes.keySet().forEach((queue) -> set(queue, 0));
	}

	/**
	 * The transaction may be one that is committed.
	 */
	void undo() {
		this.modes.forEach(this::set);
	}

	private void set(String queue, int mode) {
		this.database.sql("UPDATE jobqueue_queue SET mode = :mode WHERE name = :queue")
			.param("mode", mode)
			.param("queue", queue)
			.update();
	}

}
