package io.jobqueue.spring.observation;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;
import org.jspecify.annotations.Nullable;

/**
 * Makes spans of chunks: a trace of its own, with a link to the trace of each job.
 */
public final class ChunkTracing implements TracingObservationHandler<ChunkContext> {

	/**
	 * As W3C's trace context defines it: version, trace, span, flags. The version ff, and
	 * ids of zeros only, are none.
	 */
	private static final Pattern TRACEPARENT = Pattern.compile(
			"(?!ff)[0-9a-f]{2}-(?!0{32})(?<trace>[0-9a-f]{32})-(?!0{16})(?<span>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(-.*)?");

	/** What OpenTelemetry's SDK keeps of a span by default. */
	private static final int MOST_LINKS = 128;

	private final Tracer tracer;

	/**
	 * Creates the handler.
	 * @param tracer what makes spans
	 */
	public ChunkTracing(Tracer tracer) {
		this.tracer = tracer;
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof ChunkContext;
	}

	@Override
	public void onStart(ChunkContext context) {
		Span.Builder span = this.tracer.spanBuilder().setNoParent().kind(Span.Kind.CONSUMER);
		List<TraceContext> linked = context.headers()
			.stream()
			.map(this::traceOf)
			.flatMap(Stream::ofNullable)
			.limit(MOST_LINKS)
			.toList();
		linked.forEach((trace) -> span.addLink(new Link(trace)));
		getTracingContext(context).setSpan(span.start());
	}

	private @Nullable TraceContext traceOf(Map<String, String> headers) {
		Matcher parent = TRACEPARENT.matcher(headers.getOrDefault("traceparent", ""));
		if (!parent.matches()) {
			return null;
		}
		boolean sampled = (Integer.parseInt(parent.group("flags"), 16) & 1) == 1;
		return this.tracer.traceContextBuilder()
			.traceId(parent.group("trace"))
			.spanId(parent.group("span"))
			.sampled(sampled)
			.build();
	}

	@Override
	public void onStop(ChunkContext context) {
		Span span = getRequiredSpan(context);
		span.name(getSpanName(context));
		tagSpan(context, span);
		endSpan(context, span);
	}

	@Override
	public Tracer getTracer() {
		return this.tracer;
	}

}
