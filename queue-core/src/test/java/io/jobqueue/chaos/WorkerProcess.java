package io.jobqueue.chaos;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.jobqueue.store.Claim;
import io.jobqueue.test.Programs;
import io.jobqueue.test.Signals;
import org.awaitility.Awaitility;

/**
 * A worker in a process of its own, as the test sees it: something to be killed, frozen
 * and replaced. What it says and logs is kept in files.
 */
final class WorkerProcess implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Process process;

	private final Path said;

	private final String name;

	private WorkerProcess(Process process, Path said, String name) {
		this.process = process;
		this.said = said;
		this.name = name;
	}

	/** The program of a worker in Java. */
	static List<String> java() {
		return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
				"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				ChaosWorker.class.getName());
	}

	/** The program of a worker in Python, which says the same. */
	static List<String> python() {
		return List.of(Programs.PYTHON.path().toString(),
				Path.of("src", "test", "python", "chaos_worker.py").toString());
	}

	/**
	 * Starts the process.
	 * @param program the program
	 * @param arguments how it works
	 * @param folder where to keep what it says and logs
	 * @param environment environment variables beyond those of this process
	 * @return the process, which may not be ready yet
	 */
	static WorkerProcess start(List<String> program, WorkerArguments arguments, Path folder,
			Map<String, String> environment) {
		List<String> command = new ArrayList<>(program);
		command.addAll(arguments.toCommandLine());
		Path said = folder.resolve(arguments.name() + ".said");
		File log = folder.resolve(arguments.name() + ".log").toFile();
		try {
			ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(said.toFile()).redirectError(log);
			builder.environment().putAll(environment);
			return new WorkerProcess(builder.start(), said, arguments.name());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot start " + command, ex);
		}
	}

	String name() {
		return this.name;
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	WorkerProcess awaitReady() {
		Awaitility.await(this.name + " is ready")
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(20))
			.failFast(this.name + " has ended", () -> !this.process.isAlive())
			.until(() -> lines().contains(ChaosWorker.READY));
		return this;
	}

	/** How far its time of day was ahead of ours when it became ready, or behind. */
	Duration clockAhead() {
		long clock = lines().stream()
			.filter((line) -> line.startsWith(ChaosWorker.CLOCK))
			.mapToLong((line) -> Long.parseLong(line.substring(ChaosWorker.CLOCK.length())))
			.findFirst()
			.orElseThrow();
		return Duration.ofMillis(clock - System.currentTimeMillis());
	}

	/** The attempts that the worker has started. */
	List<Claim> started() {
		return claims(ChaosWorker.STARTED);
	}

	/** The attempts of which the worker believes that they succeeded. */
	List<Claim> won() {
		return claims(ChaosWorker.WON);
	}

	private List<Claim> claims(String what) {
		return lines().stream()
			.map((line) -> line.split(" "))
			.filter((words) -> words.length == 3 && words[0].equals(what))
			.map((words) -> new Claim(Long.parseLong(words[1]), Long.parseLong(words[2]), 1))
			.toList();
	}

	/**
	 * The whole lines that it has said; one that was cut off by its death is left out.
	 */
	private List<String> lines() {
		try {
			String all = Files.readString(this.said);
			return all.substring(0, all.lastIndexOf('\n') + 1).lines().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Lets it exhaust its pool for a while, and waits until it has. */
	void hog(Duration duration) {
		long before = count(ChaosWorker.HOGGING);
		try {
			Writer commands = this.process.outputWriter(StandardCharsets.US_ASCII);
			commands.write(ChaosWorker.HOG + duration.toMillis() + "\n");
			commands.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Awaitility.await(this.name + " has no connections left")
			.atMost(PATIENCE)
			.until(() -> count(ChaosWorker.HOGGING) > before);
	}

	private long count(String line) {
		return lines().stream().filter(line::equals).count();
	}

	/** Kills the process as {@code kill -9} does. */
	void kill() {
		this.process.destroyForcibly();
		awaitEnd();
	}

	/** Stops the process in the middle of whatever it does. */
	void freeze() {
		Signals.send(this.process, "STOP");
	}

	/** Lets a frozen process go on. */
	void thaw() {
		Signals.send(this.process, "CONT");
	}

	/** Asks the process to stop in good order, and waits until it has. */
	int terminate() {
		// Process.destroy() would close its standard input as well.
		Signals.send(this.process, "TERM");
		awaitEnd();
		return this.process.exitValue();
	}

	private void awaitEnd() {
		try {
			if (!this.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
				throw new IllegalStateException(this.name + " does not end");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while " + this.name + " ended", ex);
		}
	}

	@Override
	public void close() {
		kill();
	}

}
