package io.jobqueue.benchmark.process;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.jobqueue.benchmark.Benchmark;
import io.jobqueue.benchmark.Server;

/**
 * A worker in a process of its own, seen from the process that started it. What it logs
 * goes to this process's standard error.
 */
public final class ChildWorker implements AutoCloseable {

	private static final Duration LONGEST = Duration.ofMinutes(1);

	private final Process process;

	private final Thread reader;

	private final CountDownLatch ready = new CountDownLatch(1);

	private volatile WorkerReport report = WorkerReport.NOTHING;

	private ChildWorker(Process process) {
		this.process = process;
		this.reader = new Thread(this::read, "worker-" + process.pid());
		this.reader.setDaemon(true);
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
		List<String> command = new ArrayList<>();
		command.add(java());
		command.addAll(jvmArguments);
		command.addAll(program());
		command.addAll(List.of(WorkerMain.NAME, "--systems", system));
		command.addAll(server.asArguments());
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		ChildWorker child = new ChildWorker(process);
		child.reader.start();
		return child;
	}

	private static String java() {
		return ProcessHandle.current()
			.info()
			.command()
			.orElse(Path.of(System.getProperty("java.home"), "bin", "java").toString());
	}

	/**
	 * The class path of an executable jar is just the jar, and what is in it is found by
	 * its launcher only.
	 */
	private static List<String> program() {
		String classPath = System.getProperty("java.class.path");
		boolean oneJar = classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator);
		return oneJar ? List.of("-jar", classPath) : List.of("-cp", classPath, Benchmark.class.getName());
	}

	private void read() {
		try (BufferedReader lines = this.process.inputReader(StandardCharsets.US_ASCII)) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (WorkerReport.isIn(line)) {
					this.report = WorkerReport.parse(line);
				}
				else if (line.equals(WorkerMain.READY)) {
					this.ready.countDown();
				}
				else {
					System.err.println(line);
				}
			}
		}
		catch (IOException ex) {
			// It was destroyed.
		}
	}

	/**
	 * Waits until the worker can begin.
	 * @throws InterruptedException if the thread is interrupted
	 */
	public void awaitReady() throws InterruptedException {
		long start = System.nanoTime();
		while (!this.ready.await(100, TimeUnit.MILLISECONDS)) {
			checkAlive();
			if (System.nanoTime() - start > LONGEST.toNanos()) {
				throw failure("does not get ready");
			}
		}
	}

	/**
	 * Lets the worker begin.
	 * @throws IOException if it cannot be told
	 */
	public void begin() throws IOException {
		this.process.getOutputStream().write('\n');
		this.process.getOutputStream().flush();
	}

	/**
	 * What the worker has said of itself last.
	 * @return its report, some hundredths of a second old
	 * @throws IllegalStateException if the process has died
	 */
	public WorkerReport report() {
		checkAlive();
		return this.report;
	}

	private void checkAlive() {
		if (!this.process.isAlive()) {
			throw failure("has died with exit code " + this.process.exitValue());
		}
	}

	private IllegalStateException failure(String what) {
		return new IllegalStateException("Worker process " + this.process.pid() + " " + what);
	}

	/**
	 * How long the process has kept a processor busy.
	 * @return the time since its start, or zero where that is not known
	 */
	public Duration processorTime() {
		return this.process.info().totalCpuDuration().orElse(Duration.ZERO);
	}

	/**
	 * Lets the worker stop in good order.
	 * @return its last report
	 * @throws IOException if it cannot be told
	 * @throws InterruptedException if the thread is interrupted
	 */
	public WorkerReport end() throws IOException, InterruptedException {
		checkAlive();
		this.process.getOutputStream().close();
		if (!this.process.waitFor(LONGEST.toMillis(), TimeUnit.MILLISECONDS)) {
			throw failure("does not end");
		}
		if (this.process.exitValue() != 0) {
			throw failure("ended with exit code " + this.process.exitValue());
		}
		this.reader.join();
		return this.report;
	}

	/**
	 * Kills the process if it has not ended.
	 */
	@Override
	public void close() {
		this.process.destroyForcibly();
	}

}
