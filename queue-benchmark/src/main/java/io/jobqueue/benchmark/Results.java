package io.jobqueue.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.jobqueue.benchmark.scenario.Variant;

/**
 * What all runs gave. The first system is compared with the others, and what a system
 * does in the other variants with what it does in the first.
 */
final class Results {

	private final List<String> systems;

	private final List<Variant> variants;

	private final Map<String, List<Measurement>> runs = new LinkedHashMap<>();

	Results(List<String> systems, List<Variant> variants) {
		this.systems = systems;
		this.variants = variants;
	}

	void add(String label, Measurement measurement) {
		this.runs.computeIfAbsent(label, (key) -> new ArrayList<>()).add(measurement);
	}

	void print() {
		this.runs.forEach(Results::printMedian);
		compared().forEach(
				(pair) -> System.out.println("ratio " + pair.label() + "/" + pair.other() + "=" + ratio(pair).line()));
	}

	/**
	 * What is compared, as far as it was measured.
	 */
	private List<Pair> compared() {
		List<Pair> pairs = new ArrayList<>();
		Variant plain = this.variants.get(0);
		for (String system : this.systems) {
			for (Variant variant : this.variants.subList(1, this.variants.size())) {
				pairs.add(new Pair(variant.labelOf(system), plain.labelOf(system)));
			}
		}
		String first = this.systems.get(0);
		for (Variant variant : this.variants) {
			for (String system : this.systems.subList(1, this.systems.size())) {
				pairs.add(new Pair(variant.labelOf(first), variant.labelOf(system)));
			}
		}
		return pairs.stream()
			.filter((pair) -> this.runs.containsKey(pair.label()) && this.runs.containsKey(pair.other()))
			.toList();
	}

	private static void printMedian(String label, List<Measurement> measurements) {
		String line = String.format(Locale.ROOT, "median system=%s jobs_per_s=%.0f", label,
				median(measurements, Measurement::perSecond));
		if (measurements.get(0).latencies().length > 0) {
			line += String.format(Locale.ROOT, " p50_ms=%.2f p99_ms=%.2f",
					median(measurements, (measurement) -> measurement.percentile(0.5)),
					median(measurements, (measurement) -> measurement.percentile(0.99)));
		}
		System.out.println(line);
	}

	/**
	 * Of the runs of one round each: what disturbs a machine for some time then disturbs
	 * both.
	 */
	private Ratio ratio(Pair pair) {
		List<Measurement> ofLabel = Objects.requireNonNull(this.runs.get(pair.label()));
		List<Measurement> ofOther = Objects.requireNonNull(this.runs.get(pair.other()));
		return Ratio.of(IntStream.range(0, Math.min(ofLabel.size(), ofOther.size()))
			.mapToDouble((round) -> ofLabel.get(round).perSecond() / ofOther.get(round).perSecond())
			.toArray());
	}

	/**
	 * Whether the intervals of all ratios are narrow.
	 * @param halfWidth how far they may reach to either side
	 */
	boolean isPrecise(double halfWidth) {
		return compared().stream().allMatch((pair) -> ratio(pair).isWithin(halfWidth));
	}

	private static double median(List<Measurement> measurements, Function<Measurement, Double> value) {
		double[] sorted = measurements.stream().mapToDouble(value::apply).sorted().toArray();
		return (sorted.length % 2 == 1) ? sorted[sorted.length / 2]
				: (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2;
	}

	private record Pair(String label, String other) {

	}

}
