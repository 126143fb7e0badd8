package io.jobqueue.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

import io.jobqueue.benchmark.scenario.Scenario;
import io.jobqueue.benchmark.scenario.Scenarios;
import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Systems;

/**
 * Measures the queue beside plain JDBC and its peers: all on one server, taking turns
 * over several rounds.
 */
public final class Benchmark {

	private final Options options;

	private final Map<String, List<Measurement>> runs = new LinkedHashMap<>();

	private Benchmark(Options options) {
		this.options = options;
	}

	/**
	 * Runs one scenario.
	 * @param arguments see {@code docs/benchmarks.md}
	 * @throws Exception if it fails
	 */
	public static void main(String[] arguments) throws Exception {
		Options options;
		try {
			options = Options.parse(arguments);
			Scenarios.named(options.scenario());
		}
		catch (IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
			System.err.println(Options.USAGE + String.join(", ", Scenarios.names()));
			System.exit(2);
			return;
		}
		new Benchmark(options).run();
		System.exit(0);
	}

	private void run() throws Exception {
		Scenario scenario = Scenarios.named(this.options.scenario());
		try (Server server = new Server(this.options)) {
			Map<String, String> settings = server.settings();
			System.out.println("server " + settings);
			for (int round = 0; round < this.options.rounds(); round++) {
				for (String name : this.options.systems()) {
					if (!server.settings().equals(settings)) {
						throw new IllegalStateException("The server's settings have changed to " + server.settings()
								+ "; the runs cannot be compared");
					}
					run(scenario, name, server);
				}
			}
		}
		summary();
	}

	private void run(Scenario scenario, String name, Server server) throws Exception {
		int jobs = (this.options.jobs() > 0) ? this.options.jobs() : scenario.jobs();
		server.clear();
		try (QueueSystem system = Systems.named(name, server)) {
			system.createTables();
			scenario.prepare(system, jobs);
			Cost before = server.cost();
			Measurement measurement = scenario.run(system, jobs);
			Cost cost = server.cost().since(before);
			System.out.println("scenario=" + this.options.scenario() + " system=" + name + " " + measurement.line()
					+ " " + cost.perJob(Math.max(1, measurement.jobs())));
			this.runs.computeIfAbsent(name, (key) -> new ArrayList<>()).add(measurement);
		}
		catch (UnsupportedOperationException ex) {
			System.out.println(
					"scenario=" + this.options.scenario() + " system=" + name + " not measured: " + ex.getMessage());
		}
	}

	private void summary() {
		Map<String, Double> medians = new LinkedHashMap<>();
		this.runs.forEach((name, measurements) -> {
			medians.put(name, median(measurements, Measurement::perSecond));
			String line = String.format(Locale.ROOT, "median system=%s jobs_per_s=%.0f", name, medians.get(name));
			if (measurements.get(0).latencies().length > 0) {
				line += String.format(Locale.ROOT, " p50_ms=%.2f p99_ms=%.2f",
						median(measurements, (measurement) -> measurement.percentile(0.5)),
						median(measurements, (measurement) -> measurement.percentile(0.99)));
			}
			System.out.println(line);
		});
		medians.forEach((name, median) -> {
			if (!name.equals("ours") && medians.containsKey("ours")) {
				System.out.printf(Locale.ROOT, "ratio ours/%s=%.2f%n", name, medians.get("ours") / median);
			}
		});
	}

	private static double median(List<Measurement> measurements, Function<Measurement, Double> value) {
		double[] sorted = measurements.stream().mapToDouble(value::apply).sorted().toArray();
		return (sorted.length % 2 == 1) ? sorted[sorted.length / 2]
				: (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2;
	}

}
