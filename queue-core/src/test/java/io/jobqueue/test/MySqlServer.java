package io.jobqueue.test;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.mysql.MySQLContainer;

/**
 * Finds a real MySQL: given by a URL, else from Docker, else a {@code mysqld} on the
 * PATH, started on a directory of its own with MySQL's durable defaults.
 */
final class MySqlServer {

	private static final String PARAMETERS = ServerProcess.PARAMETERS;

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
		if (!Programs.MYSQLD.isThere()) {
			return TestServer.none("no -Djobqueue.test.mysql.url, no Docker, and " + Programs.MYSQLD.whyNot());
		}
		// Many pools at once, each of which may open all its connections.
		ServerProcess server = ServerProcess.mysql("--innodb-buffer-pool-size=512M", "--innodb-redo-log-capacity=256M",
				"--max-connections=500", "--max-binlog-size=64M", "--binlog-expire-logs-seconds=60");
		return TestServer.at(server.url(), PARAMETERS, "root", "", Programs.MYSQLD.path().toString());
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

}
