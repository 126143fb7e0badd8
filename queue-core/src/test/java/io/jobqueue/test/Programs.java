package io.jobqueue.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * What some tests need beyond a JDK. It is looked for on the PATH; {@code -Pchaos} brings
 * what is not there from Debian's packages.
 */
public enum Programs {

	/** MySQL's server. */
	MYSQLD("mysqld", "mysql", "mysqld"),

	/** Python with PyMySQL, for the worker of the examples. */
	PYTHON("python3", "python", "python3", "-c", "import pymysql"),

	/** Node with mysql2, for the producer of the examples. */
	NODE("node", "node", "node", "-e", "require('mysql2')"),

	/** A library that gives a program another time of day. */
	FAKETIME("libfaketime.so.1", "faketime", ""),

	/** The library by which MariaDB servers form a cluster. */
	GALERA("libgalera_smm.so", "galera", "");

	private static final boolean BRINGS = Boolean.getBoolean("jobqueue.chaos.full");

	private final String file;

	private final String script;

	/**
	 * What to look for in the folder that the script prints; empty if it prints a file.
	 */
	private final String inFolder;

	/**
	 * What it is asked to do if not everything of that name will do; empty if it will.
	 */
	private final List<String> probe;

	private @Nullable Path found;

	private String whyNot;

	private boolean tried;

	Programs(String file, String script, String inFolder, String... probe) {
		this.file = file;
		this.script = script;
		this.inFolder = inFolder;
		this.probe = List.of(probe);
		this.whyNot = file + (this.probe.isEmpty() ? "" : " that does '" + probe[probe.length - 1] + "'")
				+ " is not on the PATH; .ci/" + script + " can bring it";
	}

	/**
	 * Whether it is there.
	 * @return whether it is, now that it was brought if need be
	 */
	public synchronized boolean isThere() {
		if (this.found == null) {
			this.found = onPath();
		}
		if (this.found == null && BRINGS && !this.tried) {
			this.tried = true;
			this.found = brought();
		}
		return this.found != null;
	}

	/**
	 * Why it is not there.
	 * @return the reason
	 */
	public String whyNot() {
		return this.whyNot;
	}

	/**
	 * Where it is.
	 * @return the file
	 */
	public Path path() {
		if (!isThere()) {
			throw new IllegalStateException(this.whyNot);
		}
		return this.found;
	}

	private @Nullable Path onPath() {
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
			.map((folder) -> Path.of(folder, this.file))
			.filter(Files::isRegularFile)
			.filter(this::isUsable)
			.findFirst()
			.orElse(null);
	}

	private boolean isUsable(Path program) {
		if (this.probe.isEmpty()) {
			return true;
		}
		List<String> command = Stream.concat(Stream.of(program.toString()), this.probe.stream()).toList();
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
			return process.waitFor() == 0;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(command + " cannot be run", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while " + command + " ran", ex);
		}
	}

	private @Nullable Path brought() {
		Path command = Path.of("..", ".ci", this.script).toAbsolutePath().normalize();
		try {
			Process process = new ProcessBuilder(command.toString()).redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
			List<String> printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
				.toList();
			if (process.waitFor() != 0) {
				this.whyNot = command + " could not bring " + this.file;
				return null;
			}
			return Path.of(printed.get(printed.size() - 1)).resolve(this.inFolder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(command + " cannot be run", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while " + command + " ran", ex);
		}
	}

}
