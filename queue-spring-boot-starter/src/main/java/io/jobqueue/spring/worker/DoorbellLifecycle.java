package io.jobqueue.spring.worker;

import io.jobqueue.store.QueueListeners;
import io.jobqueue.worker.doorbell.CrossNodeWakeUp;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the doorbell before the worker, and stops it after the worker: jobs that are
 * given back wake the others.
 */
public final class DoorbellLifecycle implements StopsApart {

	private static final Logger log = LoggerFactory.getLogger(DoorbellLifecycle.class);

	private final CrossNodeWakeUp wakeUp;

	private final QueueListeners listeners;

	private final boolean supported;

	private final boolean autoStartup;

	/**
	 * Creates the lifecycle.
	 * @param wakeUp what rings and listens
	 * @param listeners who is told of what the application does with the queue
	 * @param supported whether the database has a doorbell
	 * @param autoStartup whether it starts with the application
	 */
	public DoorbellLifecycle(CrossNodeWakeUp wakeUp, QueueListeners listeners, boolean supported, boolean autoStartup) {
		this.autoStartup = autoStartup;
		this.wakeUp = wakeUp;
		this.listeners = listeners;
		this.supported = supported;
	}

	@Override
	public void start() {
		if (!this.supported) {
			log.info("jobqueue.doorbell does nothing on H2");
			return;
		}
		this.listeners.add(this.wakeUp);
		this.wakeUp.start();
	}

	@Override
	public void stop() {
		this.listeners.remove(this.wakeUp);
		this.wakeUp.stop();
	}

	@Override
	public boolean isRunning() {
		return this.wakeUp.isRunning();
	}

	@Override
	public boolean isAutoStartup() {
		return this.autoStartup;
	}

	@Override
	public int getPhase() {
		return WorkerLifecycle.PHASE - 1;
	}

}
