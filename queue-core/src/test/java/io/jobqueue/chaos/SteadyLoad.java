package io.jobqueue.chaos;

import java.time.Duration;

/**
 * Keeps a queue of its own from ever becoming empty, with jobs that need time and not
 * much else.
 */
final class SteadyLoad implements AutoCloseable {

	static final String QUEUE = "steady";

	private static final int AHEAD = 400;

	/**
	 * So long that the processor time of processes that start again beside it, which is
	 * not what is measured, hardly changes the rate.
	 */
	private static final Duration SLEEP = Duration.ofMillis(200);

	private final Chaos chaos;

	private final Thread thread = new Thread(this::goOn, "steady-load");

	private volatile boolean stopped;

	SteadyLoad(Chaos chaos) {
		this.chaos = chaos;
	}

	void start() {
		this.thread.start();
	}

	private void goOn() {
		try {
			while (!this.stopped) {
				long missing = AHEAD - this.chaos.tables.count("queue = '" + QUEUE + "'");
				if (missing > 0) {
					this.chaos.enqueueAll((int) missing, ChaosWorker.EFFECT, SLEEP, (job) -> job.queue(QUEUE));
				}
				Thread.sleep(100);
			}
		}
		catch (InterruptedException ex) {
			// It is over.
		}
	}

	/** Lets the queue become empty. */
	void stop() throws InterruptedException {
		this.stopped = true;
		this.thread.join();
	}

	@Override
	public void close() {
		this.stopped = true;
	}

}
