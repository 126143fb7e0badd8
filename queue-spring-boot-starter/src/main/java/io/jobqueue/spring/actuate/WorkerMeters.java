package io.jobqueue.spring.actuate;

import io.jobqueue.database.Database;
import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.maintenance.Rescue;
import io.jobqueue.maintenance.UnhandledTypes;
import io.jobqueue.node.Worker;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows what the worker of this node knows of itself.
 */
public final class WorkerMeters implements MeterBinder {

	private final Worker worker;

	private final Rescue rescue;

	private final UnhandledTypes unhandled;

	private final Database database;

	private final Maintenance maintenance;

	/**
	 * Creates the meters.
	 * @param worker the worker
	 * @param rescue who rescues
	 * @param unhandled who finds jobs that nobody handles
	 * @param database who repeats transactions
	 * @param maintenance who does the chores
	 */
	public WorkerMeters(Worker worker, Rescue rescue, UnhandledTypes unhandled, Database database,
			Maintenance maintenance) {
		this.worker = worker;
		this.rescue = rescue;
		this.unhandled = unhandled;
		this.database = database;
		this.maintenance = maintenance;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder("jobqueue.slots", this.worker, (worker) -> worker.health().slots())
			.description("How many attempts this worker may run at once")
			.register(registry);
		Gauge.builder("jobqueue.slots.busy", this.worker, (worker) -> worker.health().busy())
			.description("How many attempts run on this worker")
			.register(registry);
		Gauge.builder("jobqueue.held", this.worker, (worker) -> worker.health().held())
			.description("How many jobs this worker holds: waiting, running or being finished")
			.register(registry);
		Gauge.builder("jobqueue.unhandled.types", this.unhandled, (unhandled) -> unhandled.current().size())
			.description("Job types that have ready jobs and no live worker")
			.register(registry);
		for (String chore : this.maintenance.chores()) {
			Gauge.builder("jobqueue.maintenance.failing", this.maintenance, (all) -> all.isFailing(chore) ? 1 : 0)
				.tag("chore", chore)
				.description("1 if the chore has failed in its last round")
				.register(registry);
		}
		FunctionCounter.builder("jobqueue.rescued", this.rescue, Rescue::rescued)
			.description("Jobs that this node rescued from workers that died or hung")
			.register(registry);
		FunctionCounter.builder("jobqueue.conflicts", this.database, (known) -> known.transactions().conflicts())
			.description("Transactions that were repeated after a deadlock or lock-wait timeout")
			.register(registry);
	}

}
