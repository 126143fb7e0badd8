package io.jobqueue.chaos;

import java.util.ArrayList;
import java.util.List;

/**
 * Starts workers, and others in place of those that die, as an orchestrator does.
 */
final class Supervisor implements AutoCloseable {

	private static final long LOOK_MILLIS = 100;

	private final Chaos chaos;

	private final int count;

	private final String queue;

	private final Thread thread = new Thread(this::watch, "supervisor");

	Supervisor(Chaos chaos, int count, String queue) {
		this.chaos = chaos;
		this.count = count;
		this.queue = queue;
	}

	void start() {
		this.thread.start();
	}

	private void watch() {
		List<WorkerProcess> workers = new ArrayList<>();
		try {
			while (true) {
				workers.removeIf((worker) -> !worker.isAlive());
				while (workers.size() < this.count) {
					workers.add(this.chaos.start(this.chaos.worker().serving(this.queue)));
				}
				Thread.sleep(LOOK_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			// It is over.
		}
	}

	@Override
	public void close() {
		this.thread.interrupt();
		try {
			this.thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
