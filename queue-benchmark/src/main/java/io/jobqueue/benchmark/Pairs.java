package io.jobqueue.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.jobqueue.benchmark.scenario.Scenarios;

/**
 * Compares two versions of this program, which take turns in one JVM: who was first in
 * one pair is second in the next.
 */
final class Pairs {

	static final String NAME = "pairs";

	private static final Pattern SYSTEM = Pattern.compile(" system=(\\S+)");

	private final Options options;

	private final List<String> arguments;

	private final Pattern figure;

	/** The figures of each version, by what they are of. */
	private final Map<String, List<List<Double>>> figures = new LinkedHashMap<>();

	Pairs(String... arguments) {
		this.options = Options.parse(arguments);
		this.arguments = new ArrayList<>(List.of(arguments));
		this.arguments.addAll(List.of("--rounds", "1", "--warm-ups", "0"));
		if (this.options.systems().isEmpty()) {
			this.arguments.addAll(List.of("--systems", Scenarios.named(this.options.scenario()).systems().get(0)));
		}
		this.figure = Pattern.compile(" " + Pattern.quote(this.options.figure()) + "=(\\S+)");
	}

	/**
	 * Runs the command.
	 * @param arguments the command, two jars, and the arguments for both
	 * @return the exit code
	 * @throws Exception if a run fails
	 */
	static int run(String... arguments) throws Exception {
		if (arguments.length < 4) {
			System.err.println(Options.USAGE + String.join(", ", Scenarios.names()));
			return 2;
		}
		Pairs pairs;
		try {
			pairs = new Pairs(Arrays.copyOfRange(arguments, 3, arguments.length));
		}
		catch (IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
			return 2;
		}
		try (Version before = new Version(Path.of(arguments[1])); Version after = new Version(Path.of(arguments[2]))) {
			pairs.run(List.of(before, after));
		}
		catch (IOException | IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
			return 2;
		}
		return 0;
	}

	private void run(List<Version> versions) throws Exception {
		for (int number = 0; number < versions.size(); number++) {
			warmUp(versions.get(number), number);
		}
		for (int pair = 0; isToGoOn(pair); pair++) {
			for (int turn = 0; turn < versions.size(); turn++) {
				int number = (pair + turn) % versions.size();
				measure(versions.get(number), number, "").forEach((label, value) -> add(label, number, value));
			}
		}
		lines().forEach(System.out::println);
	}

	private boolean isToGoOn(int pairs) {
		return pairs < this.options.rounds() || (pairs < this.options.mostRounds()
				&& !this.figures.keySet().stream().allMatch((label) -> ratio(label).isWithin(Benchmark.PRECISION)));
	}

	private void warmUp(Version version, int number) throws Exception {
		double last = 0;
		boolean agree = false;
		for (int round = 0; round < this.options.warmUps() && !agree; round++) {
			Map<String, Double> measured = measure(version, number, "warm-up ");
			double first = measured.isEmpty() ? last : measured.values().iterator().next();
			agree = Math.abs(first - last) <= Benchmark.AGREEMENT * first;
			last = first;
		}
	}

	private Map<String, Double> measure(Version version, int number, String prefix) throws Exception {
		Map<String, Double> measured = new LinkedHashMap<>();
		for (String line : version.measure(this.arguments)) {
			System.out.println(prefix + "version=" + nameOf(number) + " " + line);
			Matcher system = SYSTEM.matcher(line);
			Matcher value = this.figure.matcher(line);
			if (system.find() && value.find()) {
				measured.put(system.group(1), Double.valueOf(value.group(1)));
			}
		}
		return measured;
	}

	private static String nameOf(int number) {
		return (number == 0) ? "before" : "after";
	}

	/**
	 * Notes a figure.
	 * @param label the system, and the variant of the scenario
	 * @param number the number of the version, from 0
	 * @param value the figure
	 */
	void add(String label, int number, double value) {
		this.figures.computeIfAbsent(label, (key) -> List.of(new ArrayList<>(), new ArrayList<>()))
			.get(number)
			.add(value);
	}

	/**
	 * What came of it.
	 */
	List<String> lines() {
		return this.figures.keySet()
			.stream()
			.map((label) -> "ratio after/before system=" + label + " " + this.options.figure() + "="
					+ ratio(label).line())
			.toList();
	}

	private Ratio ratio(String label) {
		List<List<Double>> versions = Objects.requireNonNull(this.figures.get(label));
		List<Double> before = versions.get(0);
		List<Double> after = versions.get(1);
		return Ratio.of(IntStream.range(0, Math.min(before.size(), after.size()))
			.mapToDouble((pair) -> after.get(pair) / before.get(pair))
			.toArray());
	}

}
