package io.jobqueue.benchmark;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What one run of one system gave.
 *
 * @param jobs how many jobs
 * @param took how long they took
 * @param latencies how long each waited, in nanoseconds; empty if that was not measured
 * @param more what else was seen, by name
 */
public record Measurement(long jobs, Duration took, long[] latencies, Map<String, String> more) {

	/**
	 * A measurement without anything else that was seen.
	 * @param jobs how many jobs
	 * @param took how long they took
	 * @param latencies how long each waited, in nanoseconds
	 */
	public Measurement(long jobs, Duration took, long[] latencies) {
		this(jobs, took, latencies, Map.of());
	}

	/**
	 * A measurement without latencies.
	 * @param jobs how many jobs
	 * @param took how long they took
	 */
	public Measurement(long jobs, Duration took) {
		this(jobs, took, new long[0]);
	}

	/**
	 * Adds what else was seen.
	 * @param name what it is called, without spaces
	 * @param value its value, printed without spaces
	 * @return a copy with it, as the last
	 */
	public Measurement with(String name, Object value) {
		Map<String, String> all = new LinkedHashMap<>(this.more);
		all.put(name, String.valueOf(value));
		return new Measurement(this.jobs, this.took, this.latencies, all);
	}

	double perSecond() {
		return this.jobs / (this.took.toNanos() / 1e9);
	}

	String line() {
		StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "jobs=%d seconds=%.3f jobs_per_s=%.0f",
				this.jobs, this.took.toNanos() / 1e9, perSecond()));
		if (this.latencies.length > 0) {
			line.append(String.format(Locale.ROOT, " p50_ms=%.2f p99_ms=%.2f", percentile(0.5), percentile(0.99)));
		}
		this.more.forEach((name, value) -> line.append(' ').append(name).append('=').append(value));
		return line.toString();
	}

	double percentile(double share) {
		long[] sorted = this.latencies.clone();
		Arrays.sort(sorted);
		return sorted[(int) Math.min(sorted.length - 1, Math.floor(share * sorted.length))] / 1e6;
	}

}
