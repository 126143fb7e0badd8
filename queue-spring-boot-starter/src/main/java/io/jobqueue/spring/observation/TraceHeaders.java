package io.jobqueue.spring.observation;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.jobqueue.observe.Sending;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a trace as the text that is stored with a job: {@code name: value}, one
 * in each line.
 */
final class TraceHeaders {

	/** Without one of these the others mean nothing, so they have the first room. */
	private static final List<String> FIRST = List.of("traceparent", "b3", "x-b3-traceid", "x-b3-spanid",
			"x-b3-sampled");

	private static final Comparator<String> ORDER = Comparator.<String>comparingInt(TraceHeaders::rank)
		.thenComparing(Comparator.naturalOrder());

	private TraceHeaders() {
	}

	private static int rank(String name) {
		int index = FIRST.indexOf(name.toLowerCase(Locale.ROOT));
		return (index >= 0) ? index : FIRST.size();
	}

	/**
	 * Writes headers.
	 * @param headers the headers by name
	 * @return those that are printable ASCII and for which there is room; null for none
	 */
	static @Nullable String written(Map<String, String> headers) {
		StringBuilder text = new StringBuilder();
		headers.keySet().stream().sorted(ORDER).forEach((name) -> {
			String line = name + ": " + headers.get(name);
			int length = text.length() + ((text.length() > 0) ? 1 : 0) + line.length();
			if (isPrintable(line) && length <= Sending.MAX_TRACE) {
				text.append((text.length() > 0) ? "\n" : "").append(line);
			}
		});
		return (text.length() > 0) ? text.toString() : null;
	}

	private static boolean isPrintable(String line) {
		return line.chars().allMatch((character) -> character >= ' ' && character <= '~');
	}

	/**
	 * Reads headers. What is none is left out, since any program may write them.
	 * @param text the text; null for none
	 * @return the headers by name, whatever their case
	 */
	static Map<String, String> read(@Nullable String text) {
		Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		if (text != null) {
			text.lines().forEach((line) -> {
				int colon = line.indexOf(':');
				if (colon > 0) {
					headers.put(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
				}
			});
		}
		return headers;
	}

}
