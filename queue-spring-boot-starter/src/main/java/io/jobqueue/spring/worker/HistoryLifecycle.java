package io.jobqueue.spring.worker;

import io.jobqueue.history.HistoryWriter;

/**
 * Starts the history before the worker and the web server, and stops it after them: what
 * they have done last is written too.
 */
public final class HistoryLifecycle implements StopsApart {

	/** Spring Boot's web server stops in the phase above. */
	private static final int PHASE = DEFAULT_PHASE - 2048 - 1;

	private final HistoryWriter writer;

	private final boolean autoStartup;

	/**
	 * Creates the lifecycle.
	 * @param writer what writes the history
	 * @param autoStartup whether it starts with the application
	 */
	public HistoryLifecycle(HistoryWriter writer, boolean autoStartup) {
		this.autoStartup = autoStartup;
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
	public boolean isAutoStartup() {
		return this.autoStartup;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
