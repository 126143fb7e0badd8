package io.jobqueue.spring.worker;

import io.jobqueue.history.HistoryWriter;

/**
 * Starts the history before the worker, and stops it after the worker: what that has
 * finished last is written too.
 */
public final class HistoryLifecycle implements StopsApart {

	private final HistoryWriter writer;

	/**
	 * Creates the lifecycle.
	 * @param writer what writes the history
	 */
	public HistoryLifecycle(HistoryWriter writer) {
		this.writer = writer;
	}

	@Override
	public void start() {
		this.writer.start();
	}

	@Override
	public void stop() {
		this.writer.stop();
	}

	@Override
	public boolean isRunning() {
		return this.writer.isRunning();
	}

	@Override
	public int getPhase() {
		return WorkerLifecycle.PHASE - 1;
	}

}
