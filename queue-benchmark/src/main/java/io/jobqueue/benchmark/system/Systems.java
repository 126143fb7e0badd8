package io.jobqueue.benchmark.system;

import io.jobqueue.benchmark.Server;

/**
 * The systems that can be measured.
 */
public final class Systems {

	private Systems() {
	}

	/**
	 * Makes a system ready, without tables.
	 * @param name its name
	 * @param server where it runs
	 * @return the system
	 */
	public static QueueSystem named(String name, Server server) {
		return switch (name) {
			case "ours" -> new Ours(server, true);
			case "ours-no-archive" -> new Ours(server, false);
			case "raw" -> new Raw(server, true);
			case "raw-no-archive" -> new Raw(server, false);
			case "db-scheduler" -> new DbScheduler(server);
			case "jobrunr" -> new JobRunrSystem(server);
			default -> throw new IllegalArgumentException("No system '" + name + "'");
		};
	}

}
