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
import java.util.function.Predicate;

import io.jobqueue.benchmark.Benchmark;
import io.jobqueue.benchmark.Server;

/**
 * A part of the benchmark in a process of its own, seen from the process that started it.
 * It says that it is ready, begins when it reads a line, and ends with its standard
 * input. What it logs goes to this process's standard error.
 */
final class ChildProcess implements AutoCloseable {

	static final String READY = "ready";

	private static final Duration LONGEST = Duration.ofMinutes(1);

	private final Process process;

	private final Thread reader;

	private final CountDownLatch ready = new CountDownLatch(1);

	private ChildProcess(Process process, Predicate<String> lines) {
		this.process = process;
		this.reader = new Thread(() -> read(lines), "child-" + process.pid());
		this.reader.setDaemon(true);
	}

	/**
	 * Starts a process.
	 * @param jvmArguments arguments of its JVM
	 * @param command which part of the benchmark it is
	 * @param system the system that it works with
	 * @param server where that runs
	 * @param lines is told each line that it prints, and whether it knows what to do with
	 * it
	 */
	static ChildProcess start(List<String> jvmArguments, String command, String system, Server server,
			Predicate<String> lines) throws IOException {
		List<String> arguments = new ArrayList<>();
		arguments.add(java());
		arguments.addAll(jvmArguments);
		arguments.addAll(program());
		arguments.addAll(List.of(command, "--systems", system));
		arguments.addAll(server.asArguments());
		Process process = new ProcessBuilder(arguments).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		ChildProcess child = new ChildProcess(process, lines);
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

	private void read(Predicate<String> known) {
		try (BufferedReader lines = this.process.inputReader(StandardCharsets.US_ASCII)) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (line.equals(READY)) {
					this.ready.countDown();
				}
				else if (!known.test(line)) {
					System.err.println(line);
				}
			}
		}
		catch (IOException ex) {
			// It was destroyed.
		}
	}

	void awaitReady() throws InterruptedException {
		long start = System.nanoTime();
		while (!this.ready.await(100, TimeUnit.MILLISECONDS)) {
			checkAlive();
			if (System.nanoTime() - start > LONGEST.toNanos()) {
				throw failure("does not get ready");
			}
		}
	}

	void begin() throws IOException {
		this.process.getOutputStream().write('\n');
		this.process.getOutputStream().flush();
	}

	void checkAlive() {
		if (!this.process.isAlive()) {
			throw failure("has died with exit code " + this.process.exitValue());
		}
	}

	private IllegalStateException failure(String what) {
		return new IllegalStateException("Process " + this.process.pid() + " " + what);
	}

	Duration processorTime() {
		return this.process.info().totalCpuDuration().orElse(Duration.ZERO);
	}

	void end() throws IOException, InterruptedException {
		checkAlive();
		this.process.getOutputStream().close();
		if (!this.process.waitFor(LONGEST.toMillis(), TimeUnit.MILLISECONDS)) {
			throw failure("does not end");
		}
		if (this.process.exitValue() != 0) {
			throw failure("ended with exit code " + this.process.exitValue());
		}
		this.reader.join();
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

}
