package io.jobqueue.spring.worker;

import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.node.Worker;
import io.jobqueue.store.QueueListeners;

/**
 * Starts the worker after the application's beans are there, and stops it before most
 * others are stopped.
 */
public final class WorkerLifecycle implements StopsApart {

	/** After the web server and most other beans have started, and before they stop. */
	public static final int PHASE = Integer.MAX_VALUE - 100;

	private final Runnable check;

	private final Worker worker;

	private final Maintenance maintenance;

	private final QueueListeners listeners;

	/**
	 * Creates the lifecycle.
	 * @param check what must not fail before the worker starts
	 * @param worker the worker
	 * @param maintenance the maintenance that runs beside it
	 * @param listeners who is told of what the application does with the queue
	 */
	public WorkerLifecycle(Runnable check, Worker worker, Maintenance maintenance, QueueListeners listeners) {
		this.check = check;
		this.worker = worker;
		this.maintenance = maintenance;
		this.listeners = listeners;
	}

	@Override
	public void start() {
		this.check.run();
		this.listeners.add(this.worker);
		this.worker.start();
		this.maintenance.start();
	}

	@Override
	public void stop() {
		this.listeners.remove(this.worker);
		this.worker.stop();
		this.maintenance.stop();
	}

	@Override
	public boolean isRunning() {
		return this.worker.isRunning();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
