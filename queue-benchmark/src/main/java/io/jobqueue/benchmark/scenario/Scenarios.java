package io.jobqueue.benchmark.scenario;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import io.jobqueue.benchmark.system.Work;

/**
 * The scenarios by name.
 */
public final class Scenarios {

	private static final Map<String, Scenario> ALL = new LinkedHashMap<>();
	static {
		ALL.put("drain", new Drain(200_000, 8, Work::nothing));
		ALL.put("transactional", new Drain(20_000, 16, Work::oneRow));
		ALL.put("enqueue-1", new Enqueue(3_000, 1));
		ALL.put("enqueue-8", new Enqueue(8_000, 8));
		ALL.put("enqueue-all", new EnqueueAll(100_000));
		ALL.put("latency", new Latency(3_000, 300));
		ALL.put("idle", new Idle(20));
	}

	private Scenarios() {
	}

	/**
	 * Finds a scenario.
	 * @param name its name
	 * @return the scenario
	 * @throws IllegalArgumentException if there is none of that name
	 */
	public static Scenario named(String name) {
		Scenario scenario = ALL.get(name);
		if (scenario == null) {
			throw new IllegalArgumentException("No scenario '" + name + "'");
		}
		return scenario;
	}

	/**
	 * The names of all.
	 * @return the names
	 */
	public static Set<String> names() {
		return ALL.keySet();
	}

}
