package io.jobqueue.benchmark.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.benchmark.process.WorkerMain;
import io.jobqueue.benchmark.system.Backlog;
import io.jobqueue.benchmark.system.Limited;
import io.jobqueue.benchmark.system.Work;

/**
 * The scenarios by name.
 */
public final class Scenarios {

	/** A worker without memory must not seem to be at work. */
	private static final List<String> LITTLE_MEMORY = List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError");

	private static final Map<String, Comparison> ALL = new LinkedHashMap<>();
	static {
		ALL.put("drain", Comparison.of(Drain.ofNothing(200_000)));
		ALL.put("drain-no-archive", Comparison.of(Drain.ofNothing(200_000)).among("ours-no-archive", "raw-no-archive"));
		ALL.put("drain-history", Comparison.of(Drain.ofNothing(200_000)).among("ours-history", "ours"));
		ALL.put("drain-traced", Comparison.of(Drain.ofNothing(200_000)).among("ours-traced", "ours"));
		ALL.put("enqueue-1-traced", Comparison.of(new Enqueue(20_000, 1)).among("ours-traced", "ours"));
		ALL.put("transactional", Comparison.of(new Drain(20_000, 16, Work::oneRow)));
		ALL.put("batch", Comparison.of(new Variant("single", new Drain(20_000, 8, Work::oneRow)),
				new Variant("chunks-500", new Drain(100_000, 8, Work::oneRowEachInChunks))));
		ALL.put("enqueue-1", Comparison.of(new Enqueue(20_000, 1)));
		ALL.put("enqueue-8", Comparison.of(new Enqueue(40_000, 8)));
		ALL.put("enqueue-all", Comparison.of(new EnqueueAll(100_000)));
		ALL.put("latency", Comparison.of(new Latency(3_000, 300, false)));
		ALL.put("latency-other-node", Comparison.of(new Latency(3_000, 300, true)).among("ours"));
		ALL.put("latency-other-node-doorbell", Comparison.of(new Latency(3_000, 300, true)).among("ours-doorbell"));
		ALL.put("idle", Comparison.of(new Idle(20, Backlog.NOTHING, 0)));
		ALL.put("idle-others", Comparison.of(new Idle(60, Backlog.OTHERS, 0)).among("ours"));
		ALL.put("idle-schedules", Comparison.of(new Idle(20, Backlog.NOTHING, 1_000)).among("ours"));
		ALL.put("schedules", Comparison.of(new Recurring(10_000, 3)).among("ours"));
		ALL.put("order", order(200_000));
		ALL.put("order-one-key", Comparison.of(new InOrder(10_000, 1)).among("ours"));
		ALL.put("limit-keys", limitKeys(200_000));
		ALL.put("limit-backlog", besideLimited(200_000, Limited.TEN_AT_ONCE, Backlog.OF_ONE_LIMIT_KEY));
		ALL.put("rate-backlog", besideLimited(200_000, Limited.HUNDRED_A_SECOND, Backlog.OF_ONE_RATE));
		ALL.put("redrive",
				Comparison
					.of(new Variant("alone", new BesideRedrive(200_000, BesideRedrive.Dead.STAY)),
							new Variant("beside-unhandled",
									new BesideRedrive(200_000, BesideRedrive.Dead.BECOME_READY)),
							new Variant("beside-paused", new BesideRedrive(200_000, BesideRedrive.Dead.BECOME_PAUSED)))
					.among("ours"));
		ALL.put("rate", Comparison.of(new Rate(100_000, 4)).among("ours"));
		ALL.put("fairness", fairness(1_000));
		ALL.put("purge-blocked", purgeBlocked(Drain.ofNothing(500_000)));
		ALL.put("large-tables", largeTables(200_000));
		ALL.put("four-processes", fourProcesses(200_000));
		ALL.put("claim-strategies", claimStrategies(200_000));
		ALL.put("claim-strategies-snapshot",
				purgeBlocked(Drain.ofNothing(500_000)).among("ours", "ours-update-limit", "ours-compare-and-set"));
		ALL.put("row-lock", Comparison.of(new Drain(20_000, 16, Work::nothing)).among("ours-row-lock", "raw-row-lock"));
		ALL.put("payload-1k", payload(20_000, 1024));
		ALL.put("payload-64k", payload(5_000, 64 * 1024));
		ALL.put("payload-1m", payload(500, 1024 * 1024));
		ALL.put("memory", Comparison.of(new WorkerProcesses(1_000_000, 0, 1, LITTLE_MEMORY)).among("ours"));
	}

	private Scenarios() {
	}

	private static Comparison purgeBlocked(Drain drain) {
		Variant free = new Variant("", new PurgeBlocked(drain, false));
		Variant blocked = new Variant("snapshot", new PurgeBlocked(drain, true));
		return Comparison.of(free, blocked).among("ours");
	}

	private static Comparison largeTables(int jobs) {
		Variant small = new Variant("small", new LargeTables(jobs, Backlog.NOTHING));
		Variant ready = new Variant("ready-1m", new LargeTables(jobs, Backlog.READY));
		Variant delayed = new Variant("delayed-1m", new LargeTables(jobs, Backlog.DELAYED));
		Variant archived = new Variant("archived-5m", new LargeTables(jobs, Backlog.ARCHIVED));
		return Comparison.of(small, ready, delayed, archived).among("ours");
	}

	private static Comparison fourProcesses(int jobs) {
		Variant one = new Variant("one", new WorkerProcesses(jobs, 2, 1, List.of()));
		Variant four = new Variant("four", new WorkerProcesses(jobs, 2, 4, List.of()));
		return Comparison.of(one, four);
	}

	/**
	 * One and four workers, of 1, 8 and 32 slots each. Plain JDBC has no slots.
	 */
	private static Comparison claimStrategies(int jobs) {
		List<Variant> variants = new ArrayList<>();
		for (int processes : List.of(1, 4)) {
			for (int slots : List.of(8, 1, 32)) {
				variants.add(new Variant(processes + "x" + slots,
						new WorkerProcesses(jobs, 2, processes, List.of("-D" + WorkerMain.SLOTS + "=" + slots))));
			}
		}
		return Comparison.of(variants.toArray(new Variant[0]))
			.among("ours", "ours-update-limit", "ours-compare-and-set", "raw", "raw-update-limit",
					"raw-compare-and-set");
	}

	private static Comparison order(int jobs) {
		Variant plain = new Variant("plain", Drain.ofNothing(jobs));
		Variant keys = new Variant("keys-10k", new InOrder(jobs, 10_000));
		return Comparison.of(plain, keys).among("ours");
	}

	private static Comparison limitKeys(int jobs) {
		Variant plain = new Variant("plain", Drain.ofNothing(jobs));
		Variant keys = new Variant("keys-10k", new LimitedKeys(jobs, 10_000));
		return Comparison.of(plain, keys).among("ours");
	}

	private static Comparison besideLimited(int jobs, Limited limited, Backlog backlog) {
		Variant alone = new Variant("alone", new BesideLimited(jobs, limited, Backlog.NOTHING));
		Variant beside = new Variant("beside-1m", new BesideLimited(jobs, limited, backlog));
		return Comparison.of(alone, beside).among("ours");
	}

	private static Comparison fairness(int jobs) {
		Variant alone = new Variant("alone", new Fairness(jobs, Backlog.NOTHING));
		Variant bulk = new Variant("bulk", new Fairness(jobs, Backlog.BULK));
		return Comparison.of(alone, bulk).among("ours");
	}

	private static Comparison payload(int jobs, int bytes) {
		return Comparison.of(new LargePayloads(Drain.ofNothing(jobs), bytes)).among("ours");
	}

	/**
	 * Finds a scenario.
	 * @param name its name
	 * @return its variants and systems
	 * @throws IllegalArgumentException if there is none of that name
	 */
	public static Comparison named(String name) {
		Comparison comparison = ALL.get(name);
		if (comparison == null) {
			throw new IllegalArgumentException("No scenario '" + name + "'");
		}
		return comparison;
	}

	/**
	 * The names of all.
	 * @return the names
	 */
	public static Set<String> names() {
		return ALL.keySet();
	}

}
