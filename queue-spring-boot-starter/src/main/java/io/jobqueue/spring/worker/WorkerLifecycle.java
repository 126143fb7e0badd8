package io.jobqueue.spring.worker;

import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.node.Worker;
import io.jobqueue.store.QueueListeners;

/**
 * Starts the worker after the application's beans are there, and stops it together with
 * the web server.
 */
public final class WorkerLifecycle implements StopsApart {

	/**
	 * That of Spring Boot's graceful shutdown of the web server. Requests and attempts
	 * have their grace at the same time, so that the two do not add up; and no request
	 * can enqueue once no job is claimed any more. Starts after the web server.
	 */
	public static final int PHASE = DEFAULT_PHASE - 1024;

	private final Runnable check;

	private final Worker worker;

	private final Maintenance maintenance;

	private final QueueListeners listeners;

	private final boolean autoStartup;

	/**
	 * Creates the lifecycle.
	 * @param check what must not fail before the worker starts
	 * @param worker the worker
	 * @param maintenance the maintenance that runs beside it
	 * @param listeners who is told of what the application does with the queue
	 * @param autoStartup whether it starts with the application
	 */
	public WorkerLifecycle(Runnable check, Worker worker, Maintenance maintenance, QueueListeners listeners,
			boolean autoStartup) {
		this.autoStartup = autoStartup;
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
	public boolean isAutoStartup() {
		return this.autoStartup;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
