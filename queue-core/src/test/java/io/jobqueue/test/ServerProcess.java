package io.jobqueue.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.TerminalFailureException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * A MySQL or MariaDB server of this machine, on a folder of its own. Can be killed and
 * started again. Ends with this JVM.
 */
public final class ServerProcess extends LocalServer implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Path MEMORY = Path.of("/dev/shm");

	private static final long ROOM = 8L * 1024 * 1024 * 1024;

	private static final int LAST_LINES = 20;

	private final List<String> program;

	private final Path folder;

	private final List<String> options;

	private final Map<String, String> environment;

	private @Nullable Process process;

	/**
	 * Creates a server, which is not started.
	 * @param program the program, with what stands before it
	 * @param folder its folder, with the data in {@code data}; deleted in the end
	 * @param options options beyond the usual ones
	 * @param environment environment variables beyond those of this process
	 */
	public ServerProcess(List<String> program, Path folder, List<String> options, Map<String, String> environment) {
		this.program = List.copyOf(program);
		this.folder = folder;
		this.options = List.copyOf(options);
		this.environment = Map.copyOf(environment);
	}

	/**
	 * Makes a data directory and starts a MySQL server on it, with the durable defaults.
	 * @param options options beyond the usual ones
	 * @return the server, which answers
	 */
	public static ServerProcess mysql(String... options) {
		return mysql(newDataFolder(), List.of(), options);
	}

	/**
	 * Makes a data directory and starts a MySQL server on it, with the durable defaults.
	 * @param folder the folder for its files
	 * @param prefix a command that starts the command that follows it; may be empty
	 * @param options options beyond the usual ones
	 * @return the server, which answers
	 */
	public static ServerProcess mysql(Path folder, List<String> prefix, String... options) {
		Path mysqld = Programs.MYSQLD.path();
		List<String> all = new ArrayList<>(List.of("--mysqlx=OFF"));
		all.addAll(List.of(options));
		List<String> program = new ArrayList<>(prefix);
		program.add(mysqld.toString());
		ServerProcess server = new ServerProcess(program, folder, all, Map.of());
		try {
			new ServerProcess(List.of(mysqld.toString()), folder, all, Map.of()).runToEnd("--initialize-insecure");
			server.start();
			return server;
		}
		catch (RuntimeException ex) {
			server.close();
			throw ex;
		}
	}

	/**
	 * Makes a folder for a server.
	 * @return the folder, whose path is short enough for sockets in it
	 */
	public static Path newFolder() {
		try {
			return Files.createTempDirectory("jq");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Makes a folder for a server's data: in memory if there is room for several servers,
	 * since tests would wait for the disk most of the time. What a server has committed
	 * before it was killed is found there as on a disk; only a loss of power would tell.
	 * With {@code -Pchaos} it is on the disk.
	 * @return the folder, whose path is short enough for sockets in it
	 */
	static Path newDataFolder() {
		try {
			return isRoomInMemory() ? Files.createTempDirectory(MEMORY, "jq") : newFolder();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isRoomInMemory() throws IOException {
		return !Thorough.isOn() && Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).type().equals("tmpfs")
				&& Files.getFileStore(MEMORY).getUsableSpace() >= ROOM;
	}

	/**
	 * Starts the server, or starts it again at the same port on the same data, and waits
	 * until it answers.
	 * @param once options for this time only
	 */
	public void start(String... once) {
		List<String> all = new ArrayList<>(List.of("--port=" + port(), "--bind-address=127.0.0.1",
				"--socket=" + this.folder.resolve("s"), "--pid-file=" + this.folder.resolve("pid")));
		all.addAll(List.of(once));
		if (this.process == null) {
			Runtime.getRuntime().addShutdownHook(new Thread(this::close, "stop-server"));
		}
		Process started = run(all);
		this.process = started;
		try {
			Awaitility.await()
				.atMost(PATIENCE)
				.failFast("the server has ended", () -> !started.isAlive())
				.until(this::answers);
		}
		catch (ConditionTimeoutException | TerminalFailureException ex) {
			throw new IllegalStateException(this.program + " does not start:\n" + lastLines(), ex);
		}
	}

	private void runToEnd(String option) {
		if (waitFor(run(List.of(option))) != 0) {
			throw new IllegalStateException(this.program + " " + option + " fails:\n" + lastLines());
		}
	}

	private Process run(List<String> arguments) {
		List<String> command = new ArrayList<>(this.program);
		command.addAll(List.of("--no-defaults", "--datadir=" + this.folder.resolve("data")));
		if ("root".equals(System.getProperty("user.name"))) {
			command.add("--user=root");
		}
		command.addAll(this.options);
		command.addAll(arguments);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(this.folder.resolve("log").toFile()));
		builder.environment().putAll(this.environment);
		try {
			return builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot start " + command, ex);
		}
	}

	/**
	 * What the server has said.
	 * @return the lines of its log
	 */
	public List<String> log() {
		try {
			return Files.readAllLines(this.folder.resolve("log"));
		}
		catch (IOException ex) {
			return List.of("the log cannot be read: " + ex);
		}
	}

	private String lastLines() {
		List<String> lines = log();
		return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
	}

	/**
	 * Whether the process runs.
	 * @return whether it does
	 */
	public boolean isAlive() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * The process.
	 * @return its id
	 */
	public long pid() {
		return this.process.pid();
	}

	/** Kills the server as {@code kill -9} does. */
	public void kill() {
		if (this.process != null) {
			this.process.destroyForcibly();
			waitFor(this.process);
		}
	}

	/** Stops the server in good order. */
	public void stop() {
		this.process.destroy();
		waitFor(this.process);
	}

	private static int waitFor(Process process) {
		try {
			return process.waitFor();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while a server was started or stopped", ex);
		}
	}

	/**
	 * Sends the server a signal.
	 * @param signal its name, such as STOP
	 */
	public void signal(String signal) {
		Signals.send(this.process, signal);
	}

	@Override
	public void close() {
		kill();
		try {
			FileSystemUtils.deleteRecursively(this.folder);
		}
		catch (IOException ex) {
			System.err.println("Left behind: " + this.folder + " (" + ex + ")");
		}
	}

}
