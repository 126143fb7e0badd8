package io.jobqueue.spring.actuate;

import io.jobqueue.worker.Worker;
import io.jobqueue.worker.WorkerHealth;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * DOWN when the worker's poll loop or heartbeat is not alive, whatever the database says
 * to others.
 */
public final class JobQueueHealthIndicator extends AbstractHealthIndicator {

	private final Worker worker;

	/**
	 * Creates the indicator.
	 * @param worker the worker to look at
	 */
	public JobQueueHealthIndicator(Worker worker) {
		super("The job queue's health could not be determined");
		this.worker = worker;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		WorkerHealth health = this.worker.health();
		if (!health.running()) {
			builder.outOfService().withDetail("worker", this.worker.name()).withDetail("problem", "stopped");
			return;
		}
		builder.status(health.alive() ? "UP" : "DOWN")
			.withDetail("worker", this.worker.name())
			.withDetail("session", health.session())
			.withDetail("secondsSinceHeartbeat", health.sinceHeartbeat().toSeconds())
			.withDetail("secondsSincePoll", health.sincePoll().toSeconds())
			.withDetail("slots", health.slots())
			.withDetail("busy", health.busy());
		if (!health.alive()) {
			builder.withDetail("problem", health.problem());
		}
	}

}
