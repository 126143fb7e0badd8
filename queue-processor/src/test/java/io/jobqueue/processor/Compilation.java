package io.jobqueue.processor;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Sources, what is made of them, and where.
 */
final class Compilation {

	private static final String CLASS_PATH = System.getProperty("surefire.test.class.path",
			System.getProperty("java.class.path"));

	private static final Pattern TOP_LEVEL = Pattern.compile(
			"(?m)^(?:@\\w+(?:\\([^)]*\\))? )*(?:(?:public|final|abstract|sealed|non-sealed) )*(?:class|interface|record|enum|@interface) (\\w+)");

	private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

	private final Path sources;

	private final Path classes;

	private final Path generated;

	private final List<String> files = new ArrayList<>();

	private final List<String> options = new ArrayList<>(List.of("-parameters", "-Xlint:all,-processing,-options"));

	private List<String> processors = List.of(JobHandlerProcessor.class.getName());

	Compilation(Path folder) throws IOException {
		this.sources = Files.createDirectories(folder.resolve("src"));
		this.classes = Files.createDirectories(folder.resolve("classes"));
		this.generated = Files.createDirectories(folder.resolve("generated"));
	}

	/**
	 * Adds a source file; its name is that of its first class.
	 */
	Compilation source(String text) throws IOException {
		Matcher type = TOP_LEVEL.matcher(text);
		Matcher home = PACKAGE.matcher(text);
		String folder = home.find() ? home.group(1).replace('.', '/') : "";
		if (!type.find()) {
			throw new IllegalArgumentException("No class in: " + text);
		}
		Path file = Files.createDirectories(this.sources.resolve(folder)).resolve(type.group(1) + ".java");
		Files.writeString(file, text);
		this.files.add(file.toString());
		return this;
	}

	/**
	 * Adds a file that has no class.
	 */
	void file(String name, String text) throws IOException {
		this.files.add(Files.writeString(this.sources.resolve(name), text).toString());
	}

	/**
	 * Which processors there are, in their order; none for none.
	 */
	Compilation processors(String... names) {
		this.processors = List.of(names);
		return this;
	}

	Compilation options(String... more) {
		this.options.addAll(List.of(more));
		return this;
	}

	Javac.Result run(Javac javac) {
		List<String> arguments = new ArrayList<>(this.options);
		arguments.addAll(List.of("-classpath", CLASS_PATH, "-d", this.classes.toString()));
		if (this.processors.isEmpty()) {
			arguments.add("-proc:none");
		}
		else {
			arguments.addAll(List.of("-processorpath", CLASS_PATH, "-processor", String.join(",", this.processors),
					"-s", this.generated.toString()));
		}
		arguments.addAll(this.files);
		return javac.run(arguments);
	}

	/**
	 * What was compiled, and all that the tests have.
	 */
	ClassLoader loader() throws MalformedURLException {
		return new URLClassLoader(new URL[] { this.classes.toUri().toURL() }, getClass().getClassLoader());
	}

	/**
	 * The files that processors have written beside classes.
	 */
	List<String> resources() throws IOException {
		try (Stream<Path> all = Files.walk(this.classes)) {
			return all.filter(Files::isRegularFile)
				.map((file) -> this.classes.relativize(file).toString())
				.filter((file) -> !file.endsWith(".class") && !file.endsWith(".java"))
				.sorted()
				.collect(Collectors.toList());
		}
	}

	String resource(String name) throws IOException {
		return Files.readString(this.classes.resolve(name));
	}

	/**
	 * The source that was written for a class.
	 */
	String generated(String className) throws IOException {
		return Files.readString(this.generated.resolve(className.replace('.', '/') + ".java"));
	}

	List<String> generated() throws IOException {
		try (Stream<Path> all = Files.walk(this.generated)) {
			return all.filter(Files::isRegularFile)
				.map((file) -> this.generated.relativize(file).toString())
				.sorted()
				.toList();
		}
	}

	/**
	 * The class path without what has a name.
	 */
	static String classPathWithout(String... names) {
		return Arrays.stream(CLASS_PATH.split(File.pathSeparator))
			.filter((entry) -> Stream.of(names).noneMatch(entry::contains))
			.collect(Collectors.joining(File.pathSeparator));
	}

}
