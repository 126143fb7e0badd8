package io.jobqueue.spring.actuate;

import java.util.function.Supplier;

import io.jobqueue.node.Worker;
import io.jobqueue.worker.WorkerHealth;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * DOWN when the worker's poll loop or heartbeat is not alive, whatever the database says
 * to others, and when no more jobs can be enqueued.
 */
public final class JobQueueHealthIndicator extends AbstractHealthIndicator {

	private final Worker worker;

	private final Supplier<String> problemOfIds;

	/**
	 * Creates the indicator.
	 * @param worker the worker to look at
	 * @param problemOfIds what is wrong with the jobs' ids; empty if nothing is
	 */
	public JobQueueHealthIndicator(Worker worker, Supplier<String> problemOfIds) {
		super("The job queue's health could not be determined");
		this.worker = worker;
		this.problemOfIds = problemOfIds;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		WorkerHealth health = this.worker.health();
		if (!health.running()) {
			builder.outOfService().withDetail("worker", this.worker.name()).withDetail("problem", "stopped");
			return;
		}
		String problem = health.problem().isEmpty() ? this.problemOfIds.get() : health.problem();
		builder.status(problem.isEmpty() ? "UP" : "DOWN")
			.withDetail("worker", this.worker.name())
			.withDetail("session", health.session())
			.withDetail("secondsSinceHeartbeat", health.sinceHeartbeat().toSeconds())
			.withDetail("secondsSincePoll", health.sincePoll().toSeconds())
			.withDetail("slots", health.slots())
			.withDetail("busy", health.busy());
		if (!health.leftOut().isEmpty()) {
			builder.withDetail("leftOut", health.leftOut());
		}
		if (!problem.isEmpty()) {
			builder.withDetail("problem", problem);
		}
	}

}
