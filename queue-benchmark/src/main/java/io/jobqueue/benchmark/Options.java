package io.jobqueue.benchmark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.jobqueue.benchmark.scenario.Variant;

/**
 * What the command line asked for.
 *
 * @param scenario the scenario's name
 * @param jobs how many jobs; 0 for the scenario's own number
 * @param rounds how often each system runs, at least
 * @param mostRounds how often at most, if ratios are not precise before
 * @param warmUps how often each runs before, with fewer jobs, unmeasured, unless two runs
 * agree sooner
 * @param systems the only systems to run, in the order in which they take turns; empty
 * for the scenario's own
 * @param variants the names of the only situations to measure; empty for all
 * @param peers which systems run beside the scenario's own
 * @param jdbcUrl the server, without parameters
 * @param user its user
 * @param password its password
 * @param figure which of the figures of a run is compared in pairs of versions
 */
record Options(String scenario, int jobs, int rounds, int mostRounds, int warmUps, List<String> systems,
		List<String> variants, List<String> peers, String jdbcUrl, String user, String password, String figure) {

	static final String USAGE = """
			benchmark.jar <scenario> [--jobs N] [--rounds N] [--most-rounds N] [--warm-ups N] \
			[--peers db-scheduler,jobrunr,rabbitmq-quorum,rabbitmq-classic | --systems ours,raw] \
			[--variants 1x8,4x8] [--jdbc-url URL] [--user U] [--password P]
			benchmark.jar pairs <before.jar> <after.jar> <scenario> [--figure NAME] [the same]
			benchmark.jar chart <what a drain printed>
			scenarios:\s""";

	static Options parse(String[] arguments) {
		Map<String, String> given = new LinkedHashMap<>();
		List<String> plain = new ArrayList<>();
		for (int i = 0; i < arguments.length; i++) {
			if (!arguments[i].startsWith("--")) {
				plain.add(arguments[i]);
			}
			else if (i + 1 < arguments.length) {
				given.put(arguments[i].substring(2), arguments[++i]);
			}
			else {
				throw new IllegalArgumentException("Nothing follows " + arguments[i]);
			}
		}
		if (plain.size() != 1) {
			throw new IllegalArgumentException("Give one scenario, not " + plain.size());
		}
		List<String> systems = list(given.getOrDefault("systems", ""));
		List<String> peers = list(given.getOrDefault("peers", ""));
		if (!systems.isEmpty() && !peers.isEmpty()) {
			throw new IllegalArgumentException("Give --systems, which run alone, or --peers, which run too; not both");
		}
		return new Options(plain.get(0), Integer.parseInt(given.getOrDefault("jobs", "0")),
				Integer.parseInt(given.getOrDefault("rounds", "3")),
				Integer.parseInt(given.getOrDefault("most-rounds", "0")),
				Integer.parseInt(given.getOrDefault("warm-ups", "5")), systems,
				list(given.getOrDefault("variants", "")), peers,
				given.getOrDefault("jdbc-url", "jdbc:mysql://127.0.0.1:3306/jobqueue_benchmark"),
				given.getOrDefault("user", "root"), given.getOrDefault("password", ""),
				given.getOrDefault("figure", "jobs_per_s"));
	}

	private static List<String> list(String names) {
		return Arrays.stream(names.split(",")).filter((name) -> !name.isBlank()).toList();
	}

	/**
	 * Which situations are measured.
	 * @param all those of the scenario
	 * @return those that were asked for, or else all
	 */
	List<Variant> of(List<Variant> all) {
		if (this.variants.isEmpty()) {
			return all;
		}
		List<Variant> some = all.stream().filter((variant) -> this.variants.contains(variant.name())).toList();
		if (some.size() != this.variants.size()) {
			throw new IllegalArgumentException(
					"The scenario has the variants " + all.stream().map(Variant::name).toList());
		}
		return some;
	}

	/**
	 * Which systems run, in the order in which they take turns.
	 * @param usual those of the scenario
	 * @return those that were asked for, or else the usual ones and the peers
	 */
	List<String> systemsOr(List<String> usual) {
		return this.systems.isEmpty() ? Stream.concat(usual.stream(), this.peers.stream()).distinct().toList()
				: this.systems;
	}

}
