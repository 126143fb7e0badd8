package io.jobqueue.benchmark;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The medians of a drain as bars, for a page that may be light or dark.
 *
 * @param jobs how many jobs were drained
 * @param bars one for each system, the highest first
 */
record Chart(long jobs, List<Bar> bars) {

	private static final Pattern RUN = Pattern.compile("scenario=(\\S+) system=\\S+ jobs=(\\d+) .*");

	private static final Pattern MEDIAN = Pattern.compile("median system=(\\p{Graph}+) jobs_per_s=([\\d.]+).*");

	private static final String TITLE = "Jobs per second, MySQL, %,d no-op jobs, every commit flushed to disk";

	private static final int WIDTH = 720;

	/** The title takes as much as a bar. */
	private static final int ROW_HEIGHT = 40;

	private static final int BAR_START = 200;

	/** Leaves room for the longest figure at the end of the longest bar. */
	private static final int LONGEST_BAR = 430;

	/** A page's mode may differ from the reader's; these greys can be read on either. */
	private static final String HEAD = """
			<svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img" \
			aria-label="%3$s">
			<title>%4$s</title>
			<style>
			text {
			font: 14px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif;
			fill: #59636e;
			}
			rect { fill: #afb8c1; }
			.title { font-size: 15px; font-weight: 600; }
			.ours text { font-weight: 600; fill: #0969da; }
			.ours rect { fill: #0969da; }
			@media (prefers-color-scheme: dark) {
			text { fill: #9198a1; }
			rect { fill: #656c76; }
			.ours text { fill: #4493f8; }
			.ours rect { fill: #4493f8; }
			}
			</style>
			<text class="title" x="0" y="24">%4$s</text>
			""";

	private static final String ROW = """
			<g class="%s" transform="translate(0 %d)">
			<text x="192" y="25" text-anchor="end">%s</text>
			<rect x="%d" y="8" width="%.1f" height="24" rx="3"/>
			<text x="%.1f" y="25">%s</text>
			</g>
			""";

	private static final Map<String, String> NAMES = Map.of("ours", "this queue", "raw", "plain JDBC (ceiling)",
			"db-scheduler", "db-scheduler", "jobrunr", "JobRunr");

	/** The title speaks of MySQL, and of commits that a broker does not make. */
	private static final String BROKERS = "rabbitmq-";

	/**
	 * Reads what the benchmark has printed.
	 * @param lines the lines, of which others than runs and medians are ignored
	 * @return the chart; the last median of each system counts
	 * @throws IllegalArgumentException if there are no medians, or the title is not true
	 * of them
	 */
	static Chart of(List<String> lines) {
		Set<String> scenarios = new TreeSet<>();
		Set<Long> jobs = new TreeSet<>();
		Map<String, Double> medians = new LinkedHashMap<>();
		for (String line : lines) {
			Matcher run = RUN.matcher(line);
			Matcher median = MEDIAN.matcher(line);
			if (run.matches()) {
				scenarios.add(run.group(1));
				jobs.add(Long.valueOf(run.group(2)));
			}
			else if (median.matches() && !median.group(1).startsWith(BROKERS)) {
				medians.put(median.group(1), Double.valueOf(median.group(2)));
			}
		}
		if (medians.isEmpty()) {
			throw new IllegalArgumentException("It has no medians");
		}
		if (!scenarios.equals(Set.of("drain")) || jobs.size() != 1) {
			throw new IllegalArgumentException("It has to be of drains of one number of jobs, and is of the scenarios "
					+ scenarios + " with " + jobs + " jobs");
		}
		return new Chart(jobs.iterator().next(), bars(medians));
	}

	private static List<Bar> bars(Map<String, Double> medians) {
		return medians.entrySet()
			.stream()
			.map((median) -> new Bar(median.getKey(), median.getValue()))
			.sorted(Comparator.comparingDouble(Bar::perSecond).reversed())
			.toList();
	}

	String svg() {
		String title = String.format(Locale.ROOT, TITLE, this.jobs);
		String spoken = this.bars.stream().map(Bar::spoken).collect(Collectors.joining("; ", title + ": ", ""));
		StringBuilder svg = new StringBuilder();
		int height = ROW_HEIGHT * (this.bars.size() + 1);
		svg.append(String.format(Locale.ROOT, HEAD, WIDTH, height, escape(spoken), escape(title)));
		double longest = Math.max(1, this.bars.get(0).perSecond());
		int top = ROW_HEIGHT;
		for (Bar bar : this.bars) {
			double width = LONGEST_BAR * bar.perSecond() / longest;
			svg.append(String.format(Locale.ROOT, ROW, bar.styleClass(), top, escape(bar.name()), BAR_START, width,
					BAR_START + width + 8, bar.figure()));
			top += ROW_HEIGHT;
		}
		return svg.append("</svg>\n").toString();
	}

	private static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
	}

	/**
	 * One system.
	 *
	 * @param system its name in the benchmark
	 * @param perSecond its median, in jobs per second
	 */
	record Bar(String system, double perSecond) {

		String name() {
			return NAMES.getOrDefault(this.system, this.system);
		}

		String figure() {
			return String.format(Locale.ROOT, "%,.0f", this.perSecond);
		}

		String spoken() {
			return name() + " " + figure();
		}

		String styleClass() {
			return this.system.equals("ours") ? "ours" : "peer";
		}

	}

}
