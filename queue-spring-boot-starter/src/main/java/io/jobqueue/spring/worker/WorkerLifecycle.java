package io.jobqueue.spring.worker;

import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.worker.Worker;

import org.springframework.context.SmartLifecycle;

/**
 * Starts the worker after the application's beans are there, and stops it before most
 * others are stopped. Stopping runs on a thread of its own, so that Spring's own timeout
 * for the phase holds whatever a handler does.
 */
public final class WorkerLifecycle implements SmartLifecycle {

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
	public void stop(Runnable callback) {
		Thread stopper = new Thread(() -> {
			try {
				stop();
			}
			finally {
				callback.run();
			}
		}, "jobqueue-stop");
		stopper.setDaemon(true);
		stopper.start();
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
