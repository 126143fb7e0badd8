package io.jobqueue.benchmark;

import java.io.StringReader;
import java.util.List;
import java.util.stream.IntStream;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What is drawn of a saved output, and of which no chart is made.
 */
class ChartTests {

	private static final String RUN = "scenario=drain system=ours jobs=200000 seconds=9.302 jobs_per_s=21501";

	private static final String TITLE = "Jobs per second, MySQL, 200,000 no-op jobs, every commit flushed to disk";

	@Test
	void theHighestIsOnTopAndOursStandsOut() throws Exception {
		String svg = svg("server {version=9.7.4}", RUN, "scenario=drain system=x not measured: no x answers",
				"median system=jobrunr jobs_per_s=1048", "median system=ours jobs_per_s=21531",
				"median system=raw jobs_per_s=25929", "ratio ours/raw=0.83");
		assertThat(texts(svg)).containsExactly(TITLE, "plain JDBC (ceiling)", "25,929", "this queue", "21,531",
				"JobRunr", "1,048");
		assertThat(svg).containsOnlyOnce("class=\"ours\"");
	}

	@Test
	void aBrokerIsLeftOut() throws Exception {
		assertThat(texts(
				svg(RUN, "median system=rabbitmq-quorum jobs_per_s=67064", "median system=ours jobs_per_s=24080")))
			.containsExactly(TITLE, "this queue", "24,080");
	}

	@Test
	void everyTextIsEscaped() throws Exception {
		String svg = svg(RUN, "median system=<a&\"b\"> jobs_per_s=7");
		assertThat(texts(svg)).containsExactly(TITLE, "<a&\"b\">", "7");
		assertThat(root(svg).getAttribute("aria-label")).isEqualTo(TITLE + ": <a&\"b\"> 7");
	}

	@Test
	void anOutputWithoutMediansIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> svg("server {version=9.7.4}", RUN))
			.withMessageContaining("medians");
	}

	@Test
	void anOutputThatTheTitleDoesNotFitIsRefused() {
		String median = "median system=ours jobs_per_s=755";
		assertThatIllegalArgumentException().isThrownBy(() -> svg(RUN.replace("drain", "enqueue-1"), median))
			.withMessageContaining("enqueue-1");
		assertThatIllegalArgumentException().isThrownBy(() -> svg(RUN, RUN.replace("200000", "20000"), median))
			.withMessageContaining("[20000, 200000]");
	}

	private static String svg(String... lines) {
		return Chart.of(List.of(lines)).svg();
	}

	private static List<String> texts(String svg) throws Exception {
		NodeList texts = root(svg).getElementsByTagName("text");
		return IntStream.range(0, texts.getLength()).mapToObj((i) -> texts.item(i).getTextContent()).toList();
	}

	private static Element root(String svg) throws Exception {
		InputSource source = new InputSource(new StringReader(svg));
		return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(source).getDocumentElement();
	}

}
