package io.jobqueue.benchmark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the command line asked for.
 *
 * @param scenario the scenario's name
 * @param jobs how many jobs; 0 for the scenario's own number
 * @param rounds how often each system runs
 * @param systems which systems, in the order in which they take turns
 * @param jdbcUrl the server, without parameters
 * @param user its user
 * @param password its password
 */
record Options(String scenario, int jobs, int rounds, List<String> systems, String jdbcUrl, String user,
		String password) {

	static final String USAGE = """
			benchmark.jar <scenario> [--jobs N] [--rounds N] [--peers db-scheduler,jobrunr] [--jdbc-url URL] [--user U] \
			[--password P]
			scenarios: """;

	private static final List<String> ALWAYS = List.of("ours", "raw");

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
		List<String> systems = new ArrayList<>(ALWAYS);
		Arrays.stream(given.getOrDefault("peers", "").split(","))
			.filter((peer) -> !peer.isBlank())
			.forEach(systems::add);
		return new Options(plain.get(0), Integer.parseInt(given.getOrDefault("jobs", "0")),
				Integer.parseInt(given.getOrDefault("rounds", "3")), systems,
				given.getOrDefault("jdbc-url", "jdbc:mysql://127.0.0.1:3306/jobqueue_benchmark"),
				given.getOrDefault("user", "root"), given.getOrDefault("password", ""));
	}

}
