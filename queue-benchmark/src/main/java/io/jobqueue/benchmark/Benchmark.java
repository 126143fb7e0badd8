package io.jobqueue.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.jobqueue.benchmark.process.EnqueuerMain;
import io.jobqueue.benchmark.process.WorkerMain;
import io.jobqueue.benchmark.scenario.Comparison;
import io.jobqueue.benchmark.scenario.Scenario;
import io.jobqueue.benchmark.scenario.Scenarios;
import io.jobqueue.benchmark.scenario.Variant;
import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Systems;
import org.jspecify.annotations.Nullable;

/**
 * Measures the queue beside plain JDBC and its peers: all on one server, taking turns
 * over several rounds.
 */
public final class Benchmark {

	private static final int WARM_UP_SHARE = 2;

	/** How little two runs may differ for a system to be warm. */
	static final double AGREEMENT = 0.05;

	/** How far the interval of a ratio may reach to either side. */
	static final double PRECISION = 0.03;

	private final Options options;

	private final String scenario;

	private final List<Variant> variants;

	private final List<String> systems;

	private final Results results;

	private final Consumer<String> out;

	private Benchmark(Options options, Consumer<String> out) {
		Comparison comparison = Scenarios.named(options.scenario());
		this.options = options;
		this.scenario = options.scenario();
		this.variants = options.of(comparison.variants());
		this.systems = options.systemsOr(comparison.systems());
		this.results = new Results(this.systems, this.variants);
		this.out = out;
	}

	/**
	 * Runs one scenario, or charts one that was run.
	 * @param arguments see {@code docs/benchmarks.md}
	 * @throws Exception if it fails
	 */
	public static void main(String[] arguments) throws Exception {
		if (arguments.length > 0 && arguments[0].equals("chart")) {
			System.exit(chart(arguments));
			return;
		}
		if (arguments.length > 0 && arguments[0].equals(Pairs.NAME)) {
			System.exit(Pairs.run(arguments));
			return;
		}
		if (arguments.length > 0 && arguments[0].equals(WorkerMain.NAME)) {
			work(Options.parse(arguments));
			return;
		}
		if (arguments.length > 0 && arguments[0].equals(EnqueuerMain.NAME)) {
			enqueue(Options.parse(arguments));
			return;
		}
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
		new Benchmark(options, System.out::println).run();
		System.exit(0);
	}

	/**
	 * Runs one scenario once, without a warm-up. {@link Pairs} calls this in other
	 * versions of this program, so its name and its types stay as they are.
	 * @param arguments as of the program
	 * @return the lines that the program would print of the runs
	 * @throws Exception if it fails
	 */
	public static List<String> measure(String... arguments) throws Exception {
		Options options = Options.parse(arguments);
		List<String> lines = new ArrayList<>();
		Benchmark benchmark = new Benchmark(options, lines::add);
		try (Server server = new Server(options)) {
			benchmark.round(server, server.settings());
		}
		return lines;
	}

	private static int chart(String[] arguments) {
		if (arguments.length != 2) {
			System.err.println(Options.USAGE + String.join(", ", Scenarios.names()));
			return 2;
		}
		try {
			System.out.print(Chart.of(Files.readAllLines(Path.of(arguments[1]))).svg());
			return 0;
		}
		catch (IOException ex) {
			System.err.println("Cannot read " + arguments[1] + " (" + ex + ")");
		}
		catch (IllegalArgumentException ex) {
			System.err.println("No chart of " + arguments[1] + ": " + ex.getMessage());
		}
		return 2;
	}

	private static void work(Options options) throws Exception {
		try (Server server = new Server(options)) {
			WorkerMain.run(options.systems().get(0), server);
		}
		System.exit(0);
	}

	private static void enqueue(Options options) throws Exception {
		try (Server server = new Server(options)) {
			EnqueuerMain.run(options.systems().get(0), server);
		}
		System.exit(0);
	}

	private void run() throws Exception {
		try (Server server = new Server(this.options)) {
			Map<String, String> settings = server.settings();
			this.out.accept("server " + settings);
			warmUp(server);
			for (int round = 0; isToGoOn(round); round++) {
				round(server, settings);
			}
		}
		this.results.print();
	}

	/**
	 * The systems take turns in each situation: a machine may be slower half an hour
	 * later.
	 */
	private void round(Server server, Map<String, String> settings) throws Exception {
		for (Variant variant : this.variants) {
			for (String name : this.systems) {
				if (!server.settings().equals(settings)) {
					throw new IllegalStateException("The server's settings have changed to " + server.settings()
							+ "; the runs cannot be compared");
				}
				run(variant, name, server);
			}
		}
	}

	private boolean isToGoOn(int rounds) {
		return rounds < this.options.rounds()
				|| (rounds < this.options.mostRounds() && !this.results.isPrecise(PRECISION));
	}

	/**
	 * A worker runs for days, a benchmark for seconds, and most of its first ones are
	 * spent on compiling, more of it the more code a system has. So each system warms up
	 * until two runs after each other agree.
	 */
	private void warmUp(Server server) throws Exception {
		Variant variant = this.variants.get(0);
		int jobs = Math.max(1, jobsOf(variant) / WARM_UP_SHARE);
		for (String name : this.systems) {
			double last = 0;
			boolean agree = false;
			for (int round = 0; round < this.options.warmUps() && !agree; round++) {
				Measurement measurement = measured("warm-up ", variant, name, server, jobs);
				double rate = (measurement != null) ? measurement.perSecond() : 0;
				agree = measurement == null || Math.abs(rate - last) <= AGREEMENT * rate;
				last = rate;
			}
		}
	}

	private int jobsOf(Variant variant) {
		return (this.options.jobs() > 0) ? this.options.jobs() : variant.scenario().jobs();
	}

	private void run(Variant variant, String name, Server server) throws Exception {
		Measurement measurement = measured("", variant, name, server, jobsOf(variant));
		if (measurement != null) {
			this.results.add(variant.labelOf(name), measurement);
		}
	}

	private @Nullable Measurement measured(String prefix, Variant variant, String name, Server server, int jobs)
			throws Exception {
		Scenario situation = variant.scenario();
		String label = variant.labelOf(name);
		server.clear();
		try (QueueSystem system = Systems.named(name, server)) {
			system.createTables();
			Trial trial = new Trial(server, name, system, jobs);
			situation.prepare(trial);
			trial.costsFromNow();
			Measurement measurement = situation.run(trial);
			Cost cost = trial.cost();
			this.out.accept(prefix + "scenario=" + this.scenario + " system=" + label + " " + measurement.line() + " "
					+ cost.perJob(Math.max(1, measurement.jobs())));
			return measurement;
		}
		catch (UnsupportedOperationException ex) {
			this.out.accept(
					prefix + "scenario=" + this.scenario + " system=" + label + " not measured: " + ex.getMessage());
			return null;
		}
	}

}
