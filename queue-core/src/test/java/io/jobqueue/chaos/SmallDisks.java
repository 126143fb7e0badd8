package io.jobqueue.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.jobqueue.test.ServerProcess;

/**
 * A MySQL server whose data and binary log are each on a small disk of their own, in
 * memory. The disks are mounted where only the server sees them, and go when it ends. A
 * server that ends by itself, as MySQL may when its disk is full, is started again until
 * it runs, which is what the service managers of servers do; nobody else can stop or
 * start it.
 */
final class SmallDisks implements AutoCloseable {

	private static final long BYTES = 400L * 1024 * 1024;

	private static final String ENDED = "The server has ended by itself";

	/**
	 * Gets the folder; the data that is there goes to the small disk. Whoever ends the
	 * server may hit the pause instead, which must not end everything.
	 */
	private static final String MOUNT_AND_RUN = """
			set -e
			mount -t tmpfs -o size=%1$s tmpfs "$0/small"
			cp -a "$0/data/." "$0/small"
			mount --bind "$0/small" "$0/data"
			mount -t tmpfs -o size=%1$s tmpfs "$0/binlog"
			until "$@"; do
				echo "%2$s ($?)"
				sleep 1 || true
			done
			""".formatted(BYTES, ENDED);

	private static final int CHUNK = 4096;

	private static final int LAST_LINES = 30;

	final ServerProcess server;

	private final Path folder;

	SmallDisks() {
		this.folder = ServerProcess.newFolder();
		makeMountPoints("small", "binlog");
		List<String> prefix = unshare();
		prefix.addAll(List.of("sh", "-c", MOUNT_AND_RUN, this.folder.toString()));
		this.server = ServerProcess.mysql(this.folder, prefix, "--log-bin=" + this.folder.resolve("binlog/binlog"),
				"--user=root", "--innodb-redo-log-capacity=16M", "--innodb-buffer-pool-size=64M");
	}

	private void makeMountPoints(String... names) {
		try {
			for (String name : names) {
				Files.createDirectory(this.folder.resolve(name));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Nothing that is started in there outlives the process that this starts. */
	private static List<String> unshare() {
		List<String> command = new ArrayList<>(List.of("unshare", "--mount", "--pid", "--fork", "--kill-child"));
		if (!"root".equals(System.getProperty("user.name"))) {
			command.add("--map-root-user");
		}
		return command;
	}

	/** Whether this machine allows it. */
	static boolean arePossible() {
		List<String> command = unshare();
		command.addAll(List.of("mount", "-t", "tmpfs", "tmpfs", "/mnt"));
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** Leaves no room at all. */
	void fill(Disk disk) {
		long written = 0;
		try (OutputStream out = Files.newOutputStream(ballast(disk))) {
			while (true) {
				out.write(new byte[CHUNK]);
				written += CHUNK;
			}
		}
		catch (IOException ex) {
			if (written < BYTES / 4) {
				throw new UncheckedIOException("Not for want of room", ex);
			}
		}
	}

	/** Gives the room back. */
	void free(Disk disk) {
		try {
			Files.delete(ballast(disk));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** As the server sees it. */
	private Path ballast(Disk disk) {
		return Path.of("/proc/" + this.server.pid() + "/root" + this.folder.resolve(disk.folder).resolve("ballast"));
	}

	/**
	 * Ends the server as a fault of its own would, and not the shell, which would take
	 * everything with it.
	 */
	void crash() {
		ProcessHandle.of(this.server.pid())
			.stream()
			.flatMap(ProcessHandle::children)
			.flatMap(ProcessHandle::descendants)
			.forEach(ProcessHandle::destroyForcibly);
	}

	/** What the server has said before each end that was not asked for. */
	List<String> crashes() {
		List<String> log = this.server.log();
		return IntStream.range(0, log.size())
			.filter((line) -> log.get(line).startsWith(ENDED))
			.mapToObj((line) -> String.join("\n", log.subList(Math.max(0, line - LAST_LINES), line + 1)))
			.toList();
	}

	@Override
	public void close() {
		this.server.close();
	}

	/**
	 * One of the two.
	 */
	enum Disk {

		/** Where the tables are, and the logs of InnoDB. */
		DATA("data"),

		/** Where the binary log is. */
		BINLOG("binlog");

		private final String folder;

		Disk(String folder) {
			this.folder = folder;
		}

	}

}
