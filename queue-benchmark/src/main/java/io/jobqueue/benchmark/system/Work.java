package io.jobqueue.benchmark.system;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the handlers do.
 *
 * @param transactional whether each writes one row in the transaction that completes the
 * job
 * @param slots how many run at once
 * @param runs counts those that have run
 * @param onStart is told the id of each job that starts
 * @param limitedRuns counts the limited ones that have run
 * @param chunk how many jobs one call runs at most
 */
public record Work(boolean transactional, int slots, LongAdder runs, LongConsumer onStart, LongAdder limitedRuns,
		int chunk) {

	/**
	 * Work of which no job is limited.
	 */
	public Work(boolean transactional, int slots, LongAdder runs, LongConsumer onStart) {
		this(transactional, slots, runs, onStart, new LongAdder(), 1);
	}

	static final String EFFECT_TABLE = "CREATE TABLE effect (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, job BIGINT NOT NULL)";

	/** How long a job of {@link Backlog#BULK} takes. */
	static final long BULK_MILLIS = 200;

	static final String EFFECT = "INSERT INTO effect (job) VALUES (?)";

	/**
	 * Handlers that do nothing.
	 * @param slots how many run at once
	 * @return the work
	 */
	public static Work nothing(int slots) {
		return new Work(false, slots, new LongAdder(), (id) -> {
		});
	}

	/**
	 * Handlers that write one row each, exactly once.
	 * @param slots how many run at once
	 * @return the work
	 */
	public static Work oneRow(int slots) {
		return new Work(true, slots, new LongAdder(), (id) -> {
		});
	}

	/**
	 * Batch handlers that write one row for each job of a chunk of 500, by one statement.
	 * @param slots how many run at once
	 * @return the work
	 */
	public static Work oneRowEachInChunks(int slots) {
		return new Work(true, slots, new LongAdder(), (id) -> {
		}, new LongAdder(), 500);
	}

	/** Writes a row for each of some jobs. */
	static String effects(Stream<Long> jobs) {
		return jobs.map((job) -> "(" + job + ")")
			.collect(Collectors.joining(",", "INSERT INTO effect (job) VALUES ", ""));
	}

}
