package io.jobqueue.benchmark.process;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import io.jobqueue.benchmark.Server;

/**
 * A worker in a process of its own, seen from the process that started it.
 */
public final class ChildWorker implements AutoCloseable {

	private final ChildProcess process;

	private volatile WorkerReport report = WorkerReport.NOTHING;

	private ChildWorker(List<String> jvmArguments, String system, Server server) throws IOException {
		this.process = ChildProcess.start(jvmArguments, WorkerMain.NAME, system, server, this::read);
	}

	/**
	 * Starts the process.
	 * @param jvmArguments arguments of its JVM
	 * @param system the system of which it is a worker
	 * @param server where that runs
	 * @return the worker, which waits for {@link #begin()}
	 * @throws IOException if the process cannot be started
	 */
	public static ChildWorker start(List<String> jvmArguments, String system, Server server) throws IOException {
		return new ChildWorker(jvmArguments, system, server);
	}

	private boolean read(String line) {
		if (WorkerReport.isIn(line)) {
			this.report = WorkerReport.parse(line);
			return true;
		}
		return false;
	}

	/**
	 * Waits until the worker can begin.
	 * @throws InterruptedException if the thread is interrupted
	 */
	public void awaitReady() throws InterruptedException {
		this.process.awaitReady();
	}

	/**
	 * Lets the worker begin.
	 * @throws IOException if it cannot be told
	 */
	public void begin() throws IOException {
		this.process.begin();
	}

	/**
	 * What the worker has said of itself last.
	 * @return its report, some hundredths of a second old
	 * @throws IllegalStateException if the process has died
	 */
	public WorkerReport report() {
		this.process.checkAlive();
		return this.report;
	}

	/**
	 * How long the process has kept a processor busy.
	 * @return the time since its start, or zero where that is not known
	 */
	public Duration processorTime() {
		return this.process.processorTime();
	}

	/**
	 * Lets the worker stop in good order.
	 * @return its last report
	 * @throws IOException if it cannot be told
	 * @throws InterruptedException if the thread is interrupted
	 */
	public WorkerReport end() throws IOException, InterruptedException {
		this.process.end();
		return this.report;
	}

	/**
	 * Kills the process if it has not ended.
	 */
	@Override
	public void close() {
		this.process.close();
	}

}
