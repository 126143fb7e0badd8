package io.jobqueue.processor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The guide lists what the compiler refuses, all of it and nothing else.
 */
class CompileTimeGuideTests {

	@Test
	void theTableHasEachRefusal() throws IOException {
		String guide = Files.readString(Path.of("../docs/guides/compile-time.md"));
		List<String> rows = guide.substring(guide.indexOf("<!-- refusals -->"), guide.indexOf("<!-- /refusals -->"))
			.lines()
			.filter((line) -> line.startsWith("| ") && !line.startsWith("| mistake"))
			.map((line) -> line.split("\\|")[1].strip())
			.toList();
		assertThat(rows).containsExactlyElementsOf(Refusals.all().map(Refusals.Refusal::name).toList());
	}

}
