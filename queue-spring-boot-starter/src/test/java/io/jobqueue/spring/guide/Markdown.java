package io.jobqueue.spring.guide;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A document of the project, and the blocks of code in it.
 *
 * @param text all of it
 */
record Markdown(String text) {

	private static final Path ROOT = Path.of("..");

	/**
	 * @param path as seen from the root of the project
	 */
	static Markdown of(String path) {
		return new Markdown(read(ROOT.resolve(path)));
	}

	/**
	 * The source of one of this package's tests.
	 */
	static String source(Class<?> test) {
		return read(Path.of("src/test/java", test.getName().replace('.', '/') + ".java"));
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The blocks of Java, divided at empty lines.
	 */
	List<String> java() {
		return blocks("java").stream().flatMap(Pattern.compile("\\n\\s*\\n")::splitAsStream).toList();
	}

	/**
	 * The lines of all blocks of properties.
	 */
	String[] properties() {
		return blocks("properties").stream().flatMap(String::lines).toArray(String[]::new);
	}

	/**
	 * The lines of all blocks without a language that call {@code curl}.
	 */
	List<String> curls() {
		return blocks("").stream().flatMap(String::lines).filter((line) -> line.startsWith("curl ")).toList();
	}

	private List<String> blocks(String language) {
		return Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$")
			.matcher(this.text)
			.results()
			.filter((block) -> block.group(1).equals(language))
			.map((block) -> block.group(2))
			.toList();
	}

	/**
	 * What a source must have in it to do what a block of Java says: the statements of
	 * the block in their order, whatever is between them. Comments and white space are
	 * left out on both sides, and an ellipsis stands for anything.
	 */
	static Pattern statements(String block) {
		List<String> statements = Pattern.compile("[^;{}]*[;{}]")
			.matcher(bare(block))
			.results()
			.map(MatchResult::group)
			.map((statement) -> String.join(".*?",
					Pattern.compile("…").splitAsStream(statement).map(Pattern::quote).toList()))
			.toList();
		return Pattern.compile(String.join(".*?", statements));
	}

	/**
	 * Java without comments at the ends of lines, and without white space.
	 */
	static String bare(String java) {
		return java.replaceAll("(?m)(^|\\s)//.*$", "").replaceAll("\\s", "");
	}

}
