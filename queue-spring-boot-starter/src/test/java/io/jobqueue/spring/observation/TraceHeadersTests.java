package io.jobqueue.spring.observation;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is stored of a trace.
 */
class TraceHeadersTests {

	@Test
	void whatIsWrittenIsRead() {
		Map<String, String> headers = Map.of("traceparent", "00-1-2-01", "baggage", "tenant=a:b, user=c");
		assertThat(TraceHeaders.written(headers)).isEqualTo("traceparent: 00-1-2-01\nbaggage: tenant=a:b, user=c");
		assertThat(TraceHeaders.read(TraceHeaders.written(headers))).isEqualTo(headers);
	}

	@Test
	void thereMayBeNone() {
		assertThat(TraceHeaders.written(Map.of())).isNull();
		assertThat(TraceHeaders.read(null)).isEmpty();
	}

	@Test
	void whatIsTooLongIsLeftOutAndTheParentLast() {
		Map<String, String> headers = Map.of("a", "x".repeat(990), "traceparent", "00-1-2-01", "tracestate", "b=c");
		assertThat(TraceHeaders.written(headers)).isEqualTo("traceparent: 00-1-2-01\ntracestate: b=c");
		assertThat(TraceHeaders.written(Map.of("a", "x".repeat(997)))).hasSize(1_000);
		assertThat(TraceHeaders.written(Map.of("a", "x".repeat(998)))).isNull();
	}

	@Test
	void whatIsNoHeaderIsLeftOut() {
		assertThat(TraceHeaders.written(Map.of("a", "ü", "b", "1\n2", "c", "d"))).isEqualTo("c: d");
		assertThat(TraceHeaders.read("\n:a\nb\nc: d\n")).isEqualTo(Map.of("c", "d"));
	}

	@Test
	void namesHaveNoCase() {
		assertThat(TraceHeaders.read("TraceParent: a")).containsEntry("traceparent", "a");
	}

}
