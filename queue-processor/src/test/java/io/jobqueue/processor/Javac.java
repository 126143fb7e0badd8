package io.jobqueue.processor;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * A compiler: that of the JDK that runs the tests, or one that is installed beside it.
 */
interface Javac {

	/**
	 * Runs it.
	 * @return what it said; empty after a success without a word
	 */
	Result run(List<String> arguments);

	/** That of the JDK that runs the tests. */
	Javac OWN = (arguments) -> {
		StringWriter said = new StringWriter();
		PrintWriter to = new PrintWriter(said);
		int status = ToolProvider.findFirst("javac").orElseThrow().run(to, to, arguments.toArray(String[]::new));
		return new Result(status == 0, said.toString());
	};

	/**
	 * All that there are: that of this JDK, and the one of Java 25.
	 */
	static Stream<Javac> all() {
		return Stream.concat(Stream.of(OWN), of25().stream());
	}

	/**
	 * That of Java 25, by the variable {@code JAVA_HOME_25} or where Debian has it.
	 */
	static Optional<Javac> of25() {
		Stream<Path> homes = Stream.ofNullable(System.getenv("JAVA_HOME_25")).map(Path::of);
		return Stream.concat(homes, installed())
			.filter((home) -> Files.isExecutable(home.resolve("bin/javac")) && isOf25(home))
			.findFirst()
			.map((home) -> (arguments) -> run(home, arguments));
	}

	private static Stream<Path> installed() {
		Path all = Path.of("/usr/lib/jvm");
		try (Stream<Path> found = Files.isDirectory(all) ? Files.list(all) : Stream.empty()) {
			return found.toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isOf25(Path home) {
		try {
			return Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"25");
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static Result run(Path home, List<String> arguments) {
		List<String> command = new ArrayList<>(List.of(home.resolve("bin/javac").toString()));
		command.addAll(arguments);
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			String said = new String(process.getInputStream().readAllBytes());
			return new Result(process.waitFor() == 0, said);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What the compiler said.
	 *
	 * @param succeeded whether it compiled all
	 * @param said its words
	 */
	record Result(boolean succeeded, String said) {

		/**
		 * The errors, as {@code Bad.java:12: This job handler is private. …}.
		 */
		List<String> errors() {
			return lines(": error: ");
		}

		List<String> warnings() {
			return lines(": warning: ");
		}

		private List<String> lines(String kind) {
			return Arrays.stream(this.said.split("\n"))
				.filter((line) -> line.contains(kind))
				.map((line) -> line.replaceFirst("^.*/(\\w+\\.java:\\d+)" + kind, "$1: "))
				.toList();
		}

	}

}
