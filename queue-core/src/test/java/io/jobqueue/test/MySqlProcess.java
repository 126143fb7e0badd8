package io.jobqueue.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.TerminalFailureException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * A {@code mysqld} of this machine, on a directory of its own, with MySQL's durable
 * defaults. Can be killed and started again. Ends with this JVM.
 */
public final class MySqlProcess implements AutoCloseable {

	static final String PARAMETERS = "allowPublicKeyRetrieval=true&sslMode=DISABLED";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int LAST_LINES = 20;

	private final Path mysqld;

	private final Path folder;

	private final int port;

	private final List<String> options;

	private @Nullable Process process;

	private MySqlProcess(Path mysqld, Path folder, List<String> options) throws IOException {
		this.mysqld = mysqld;
		this.folder = folder;
		this.port = freePort();
		this.options = List.copyOf(options);
	}

	/**
	 * Looks for the program.
	 * @return the first one on the PATH, or null
	 */
	public static @Nullable Path program() {
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
			.map((folder) -> Path.of(folder, "mysqld"))
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Makes a data directory and starts a server on it.
	 * @param mysqld the program
	 * @param options options beyond the usual ones
	 * @return the server, which answers
	 */
	public static MySqlProcess start(Path mysqld, String... options) {
		try {
			MySqlProcess server = new MySqlProcess(mysqld, Files.createTempDirectory("jq"), List.of(options));
			Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop-mysqld"));
			if (server.run("--initialize-insecure").waitFor() != 0) {
				throw new IllegalStateException(mysqld + " cannot make a data directory:\n" + server.log());
			}
			server.start();
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot start " + mysqld, ex);
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
	}

	/**
	 * Starts the server again, at the same port on the same directory, and waits until it
	 * answers.
	 */
	public void start() {
		List<String> all = new ArrayList<>(List.of("--port=" + this.port, "--bind-address=127.0.0.1", "--mysqlx=OFF",
				"--socket=" + this.folder.resolve("s"), "--pid-file=" + this.folder.resolve("pid")));
		all.addAll(this.options);
		try {
			Process started = run(all.toArray(String[]::new));
			this.process = started;
			Awaitility.await()
				.atMost(PATIENCE)
				.failFast("mysqld has ended", () -> !started.isAlive())
				.until(this::answers);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot start " + this.mysqld, ex);
		}
		catch (ConditionTimeoutException | TerminalFailureException ex) {
			throw new IllegalStateException(this.mysqld + " does not start:\n" + log(), ex);
		}
	}

	private Process run(String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(this.mysqld.toString(), "--no-defaults", "--datadir=" + this.folder.resolve("data")));
		if ("root".equals(System.getProperty("user.name"))) {
			command.add("--user=root");
		}
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(this.folder.resolve("log").toFile()))
			.start();
	}

	private String log() {
		try {
			List<String> lines = Files.readAllLines(this.folder.resolve("log"));
			return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
		}
		catch (IOException ex) {
			return "mysqld ended, and its log cannot be read: " + ex;
		}
	}

	private boolean answers() {
		try (var connection = DriverManager.getConnection(url() + "?" + PARAMETERS, "root", "")) {
			return connection.isValid(5);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	String url() {
		return "jdbc:mysql://127.0.0.1:" + this.port + "/";
	}

	/**
	 * Makes a database with the queue's tables.
	 * @return the database
	 */
	public TestSchema createSchema() {
		return TestServer.at(url(), PARAMETERS, "root", "", this.mysqld.toString())
			.createSchema("jobs", "")
			.withTables();
	}

	/** Kills the server as {@code kill -9} does. */
	public void kill() {
		Process running = this.process;
		if (running == null) {
			return;
		}
		running.destroyForcibly();
		try {
			running.waitFor();
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
	}

	/**
	 * Sends the server a signal.
	 * @param signal its name, such as STOP
	 */
	public void signal(String signal) {
		Signals.send(this.process, signal);
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	private static IllegalStateException interrupted(InterruptedException ex) {
		Thread.currentThread().interrupt();
		return new IllegalStateException("Interrupted while mysqld was started or stopped", ex);
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
