package io.jobqueue.spring.guide;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The examples of the guides are those that the tests beside this one run.
 */
class GuideTests {

	private static final List<Class<? extends GuideApplication>> ALL = List.of(RecurringGuideTests.class,
			LimitsGuideTests.class, OrderGuideTests.class, BatchGuideTests.class);

	static Stream<Arguments> guides() {
		return Stream.of(Arguments.of("recurring", RecurringGuideTests.class, 3),
				Arguments.of("limits", LimitsGuideTests.class, 3), Arguments.of("order", OrderGuideTests.class, 3),
				Arguments.of("batch", BatchGuideTests.class, 2));
	}

	@ParameterizedTest
	@MethodSource("guides")
	void eachExampleOfAGuideIsRunWordForWord(String guide, Class<?> test, int examples) {
		List<String> blocks = Markdown.of("docs/guides/" + guide + ".md").java();
		assertThat(blocks).hasSize(examples)
			.allSatisfy((block) -> assertThat(Markdown.bare(Markdown.source(test)))
				.containsPattern(Markdown.statements(block)));
	}

	@Test
	void soIsWhatTheGuideToAllOfItSays() {
		String sources = Markdown.bare(String.join("", ALL.stream().map(Markdown::source).toList()));
		List<String> blocks = Markdown.of("docs/guides/using.md")
			.java()
			.stream()
			.filter((block) -> Stream.of("@Recurring", "schedules.", "orderKey", "limit = ", "limitKey", "batchSize")
				.anyMatch(block::contains))
			.toList();
		assertThat(blocks).hasSize(6)
			.allSatisfy((block) -> assertThat(sources).containsPattern(Markdown.statements(block)));
	}

	@Test
	void anExampleThatNoTestRunsIsNoticed() {
		String source = Markdown.bare(Markdown.source(LimitsGuideTests.class));
		assertThat(source).doesNotContainPattern(Markdown.statements("@JobHandler(value = \"call-partner\") … }"))
			.containsPattern(Markdown.statements("@JobHandler(value = \"call-partner\", limit = \"partner-api\") … }"));
	}

}
