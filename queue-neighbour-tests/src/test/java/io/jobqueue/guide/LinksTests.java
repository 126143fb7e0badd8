package io.jobqueue.guide;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Links from one document of the project to another lead somewhere.
 */
class LinksTests {

	private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

	private static final Pattern LINK = Pattern.compile("]\\((?!https?:|mailto:)([^)\\s]+)\\)");

	private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

	private static final Pattern CODE = Pattern.compile("^\\s*```.*?^\\s*```$", Pattern.MULTILINE | Pattern.DOTALL);

	@Test
	void everyLinkLeadsSomewhere() throws IOException {
		List<String> broken = new ArrayList<>();
		List<Path> documents = documents();
		assertThat(documents).hasSizeGreaterThan(60);
		for (Path document : documents) {
			LINK.matcher(text(document))
				.results()
				.map((link) -> link.group(1))
				.filter((link) -> !leadsSomewhere(document, link))
				.forEach((link) -> broken.add(HOME.relativize(document) + ": " + link));
		}
		assertThat(broken).isEmpty();
	}

	private static List<Path> documents() throws IOException {
		try (Stream<Path> top = Files.list(HOME); Stream<Path> below = Files.walk(HOME.resolve("docs"))) {
			return Stream.concat(top, below).filter((path) -> path.toString().endsWith(".md")).toList();
		}
	}

	private static boolean leadsSomewhere(Path document, String link) {
		String[] parts = link.split("#", 2);
		Path target = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]).normalize();
		return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
	}

	private static Set<String> anchors(Path document) {
		return HEADING.matcher(text(document))
			.results()
			.map((MatchResult heading) -> heading.group(1)
				.toLowerCase(Locale.ROOT)
				.replaceAll("[^\\p{L}\\p{N} _-]", "")
				.replace(' ', '-'))
			.collect(Collectors.toSet());
	}

	private static String text(Path document) {
		try {
			return CODE.matcher(Files.readString(document)).replaceAll("");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
