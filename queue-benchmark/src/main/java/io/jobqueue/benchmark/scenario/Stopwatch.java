package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Runs from its creation until something is over.
 */
final class Stopwatch {

	private static final Duration LONGEST = Duration.ofMinutes(30);

	private final long start = System.nanoTime();

	/**
	 * Waits until something is over. To ask may take long itself, as where a table is
	 * full of deleted rows that are not purged, so what counts is the time of the
	 * question.
	 * @param over whether it is
	 * @param state what to say if it takes too long
	 * @return how long it took
	 */
	Duration until(BooleanSupplier over, Supplier<String> state) throws InterruptedException {
		while (true) {
			Duration asked = Duration.ofNanos(System.nanoTime() - this.start);
			if (over.getAsBoolean()) {
				return asked;
			}
			if (asked.compareTo(LONGEST) > 0) {
				throw new IllegalStateException("Only " + state.get() + " in " + LONGEST);
			}
			Thread.sleep(5);
		}
	}

}
