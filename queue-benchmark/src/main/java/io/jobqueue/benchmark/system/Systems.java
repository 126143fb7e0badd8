package io.jobqueue.benchmark.system;

import io.jobqueue.benchmark.Server;
import io.jobqueue.ClaimStrategy;
import io.jobqueue.QueueMode;

/**
 * The systems that can be measured.
 */
public final class Systems {

	private Systems() {
	}

	/**
	 * Makes a system ready, without tables.
	 * @param name its name
	 * @param server where it runs, unless it brings a server of its own
	 * @return the system
	 * @throws UnsupportedOperationException if what it runs on is not there
	 */
	public static QueueSystem named(String name, Server server) {
		return switch (name) {
			case "ours" -> new Ours(server, true, false, ClaimStrategy.SKIP_LOCKED, QueueMode.STANDARD);
			case "ours-no-archive" -> new Ours(server, false, false, ClaimStrategy.SKIP_LOCKED, QueueMode.STANDARD);
			case "ours-doorbell" -> new Ours(server, true, true, ClaimStrategy.SKIP_LOCKED, QueueMode.STANDARD);
			case "ours-update-limit" -> new Ours(server, true, false, ClaimStrategy.UPDATE_LIMIT, QueueMode.STANDARD);
			case "ours-compare-and-set" ->
				new Ours(server, true, false, ClaimStrategy.COMPARE_AND_SET, QueueMode.STANDARD);
			case "ours-row-lock" -> Ours.rowLock(server);
			case "ours-history" -> Ours.withHistory(server);
			case "ours-traced" -> Ours.traced(server);
			case "raw" -> new Raw(server, true, RawClaim.Strategy.SKIP_LOCKED);
			case "raw-no-archive" -> new Raw(server, false, RawClaim.Strategy.SKIP_LOCKED);
			case "raw-update-limit" -> new Raw(server, true, RawClaim.Strategy.UPDATE_LIMIT);
			case "raw-compare-and-set" -> new Raw(server, true, RawClaim.Strategy.COMPARE_AND_SET);
			case "raw-row-lock" -> Raw.rowLock(server);
			case "db-scheduler" -> new DbScheduler(server);
			case "jobrunr" -> new JobRunrSystem(server);
			case "rabbitmq-classic" -> new RabbitMq("classic");
			case "rabbitmq-quorum" -> new RabbitMq("quorum");
			default -> throw new IllegalArgumentException("No system '" + name + "'");
		};
	}

}
