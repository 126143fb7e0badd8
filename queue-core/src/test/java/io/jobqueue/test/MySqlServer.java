package io.jobqueue.test;

import java.io.IOException;
import java.io.UncheckedIOException;
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
import org.testcontainers.DockerClientFactory;
import org.testcontainers.mysql.MySQLContainer;

import org.springframework.util.FileSystemUtils;

/**
 * Finds a real MySQL: given by a URL, else from Docker, else a {@code mysqld} on the
 * PATH, started on a directory of its own with MySQL's durable defaults.
 */
final class MySqlServer {

	private static final String PARAMETERS = "allowPublicKeyRetrieval=true&sslMode=DISABLED";

	private MySqlServer() {
	}

	static TestServer find() {
		String url = setting("jobqueue.test.mysql.url");
		if (url != null) {
			return given(url);
		}
		if (isDockerAvailable()) {
			MySQLContainer container = new MySQLContainer("mysql:8.4").withUsername("root").withPassword("test");
			container.start();
			return TestServer.at("jdbc:mysql://" + container.getHost() + ":" + container.getMappedPort(3306) + "/",
					PARAMETERS, "root", "test", "Docker");
		}
		Path mysqld = onPath();
		return (mysqld != null) ? start(mysqld) : TestServer
			.none("no -Djobqueue.test.mysql.url, no Docker, and no mysqld on the PATH; .ci/mysql can bring one");
	}

	private static TestServer given(String url) {
		int question = url.indexOf('?');
		String parameters = (question >= 0) ? url.substring(question + 1) : PARAMETERS;
		String address = (question >= 0) ? url.substring(0, question) : url;
		String user = setting("jobqueue.test.mysql.user");
		String password = setting("jobqueue.test.mysql.password");
		return TestServer.at(address.substring(0, address.lastIndexOf('/') + 1), parameters,
				(user != null) ? user : "root", (password != null) ? password : "", "given by URL");
	}

	private static String setting(String name) {
		String value = System.getProperty(name);
		return (value != null) ? value : System.getenv(name.toUpperCase().replace('.', '_'));
	}

	private static boolean isDockerAvailable() {
		try {
			return DockerClientFactory.instance().isDockerAvailable();
		}
		catch (RuntimeException | LinkageError ex) {
			return false;
		}
	}

	private static Path onPath() {
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
			.map((folder) -> Path.of(folder, "mysqld"))
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
	}

	private static TestServer start(Path mysqld) {
		try {
			Path folder = Files.createTempDirectory("jq");
			List<String> base = new ArrayList<>(
					List.of(mysqld.toString(), "--no-defaults", "--datadir=" + folder.resolve("data")));
			if ("root".equals(System.getProperty("user.name"))) {
				base.add("--user=root");
			}
			if (run(folder, with(base, "--initialize-insecure")).waitFor() != 0) {
				throw new IllegalStateException(mysqld + " cannot make a data directory:\n" + tail(folder));
			}
			int port = freePort();
			Process server = run(folder,
					with(base, "--port=" + port, "--bind-address=127.0.0.1", "--mysqlx=OFF",
							"--socket=" + folder.resolve("s"), "--pid-file=" + folder.resolve("pid"),
							"--innodb-buffer-pool-size=1G", "--innodb-redo-log-capacity=1G"));
			Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, folder), "stop-mysqld"));
			String url = "jdbc:mysql://127.0.0.1:" + port + "/";
			try {
				Awaitility.await()
					.atMost(Duration.ofSeconds(60))
					.failFast("mysqld has ended", () -> !server.isAlive())
					.until(() -> answers(url));
			}
			catch (ConditionTimeoutException | TerminalFailureException ex) {
				throw new IllegalStateException(mysqld + " does not start:\n" + tail(folder), ex);
			}
			return TestServer.at(url, PARAMETERS, "root", "", mysqld.toString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot start " + mysqld, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while " + mysqld + " was started", ex);
		}
	}

	private static List<String> with(List<String> base, String... more) {
		List<String> command = new ArrayList<>(base);
		command.addAll(List.of(more));
		return command;
	}

	private static Process run(Path folder, List<String> command) throws IOException {
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
			.start();
	}

	private static String tail(Path folder) {
		try {
			List<String> lines = Files.readAllLines(folder.resolve("log"));
			return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
		}
		catch (IOException ex) {
			return "mysqld ended, and its log cannot be read: " + ex;
		}
	}

	private static boolean answers(String url) {
		try (var connection = DriverManager.getConnection(url + "?" + PARAMETERS, "root", "")) {
			return connection.isValid(5);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private static void stop(Process server, Path folder) {
		server.destroyForcibly();
		try {
			server.waitFor();
			FileSystemUtils.deleteRecursively(folder);
		}
		catch (IOException | InterruptedException ex) {
			System.err.println("Left behind: " + folder + " (" + ex + ")");
		}
	}

}
