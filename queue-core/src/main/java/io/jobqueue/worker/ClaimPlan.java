package io.jobqueue.worker;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Line;

/**
 * Which lines to claim from next. Suspects are claimed only by a worker that holds
 * nothing, and it claims nothing else until it has finished them; so that they do not
 * wait for ever, it runs empty for them after a while.
 */
final class ClaimPlan {

	private static final Comparator<Line> URGENCY = Comparator.comparingInt(Line::priority)
		.reversed()
		.thenComparing(Line::dueIn);

	private static final long MIN_PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

	/**
	 * How long the worker runs empty at most; a job of an hour must not keep its slots
	 * idle for that time.
	 */
	private static final long MAX_EMPTYING_NANOS = Duration.ofSeconds(30).toNanos();

	private static final long LEAVE_NANOS = Duration.ofSeconds(10).toNanos();

	private static final int BARREN_SHARE = 20;

	private final LongSupplier nanoTime;

	private final RandomGenerator random;

	/** Lines that are left alone, because only jobs for others were found in them. */
	private final Map<Line, Long> barrenUntil = new HashMap<>();

	private boolean inCompany;

	/** Until when suspects may be left waiting; zero if none wait. */
	private long patienceUntil;

	ClaimPlan(LongSupplier nanoTime, RandomGenerator random) {
		this.nanoTime = nanoTime;
		this.random = random;
	}

	/**
	 * Chooses the lines.
	 * @param lines those that the worker serves
	 * @param held how many jobs it holds
	 * @param lingering how many results cannot be committed, and how many slots are lost
	 * to handlers that were given up: with these it does not get empty
	 * @return the due lines to claim from, the most urgent first; none if it has to run
	 * empty
	 */
	List<Line> choose(List<Line> lines, int held, int lingering) {
		// Suspects that have run and wait for their results to be committed are company
		// too: should another job crash the worker then, they would be convicted of it.
		if (this.inCompany && held > 0) {
			return List.of();
		}
		this.inCompany = false;
		List<Line> due = lines.stream()
			.filter(Line::isDue)
			.filter((line) -> !isLeftAlone(line))
			.sorted(URGENCY)
			.toList();
		List<Line> suspects = due.stream().filter(Line::suspect).toList();
		List<Line> others = due.stream().filter((line) -> !line.suspect()).toList();
		if (suspects.isEmpty()) {
			this.patienceUntil = 0;
			return others;
		}
		long now = this.nanoTime.getAsLong();
		if (this.patienceUntil == 0) {
			this.patienceUntil = now + MIN_PATIENCE_NANOS + this.random.nextLong(MIN_PATIENCE_NANOS);
		}
		if (now - this.patienceUntil < 0 && !others.isEmpty()) {
			return others;
		}
		if (held == 0 && lingering == 0) {
			this.inCompany = true;
			this.patienceUntil = 0;
			return suspects;
		}
		if (lingering > 0 || now - this.patienceUntil > MAX_EMPTYING_NANOS) {
			// It will not get empty.
			leaveSuspects();
			return others;
		}
		return List.of();
	}

	/**
	 * Notes which lines had nothing to claim in spite of being due, because their jobs
	 * are of types that are left to others. All of those are read each time, so such a
	 * line is left alone for twenty times as long as that took, ten seconds at most.
	 * @param looked the lines that were looked at
	 * @param claimed the jobs that were claimed from them
	 * @param took how long that took, in nanoseconds
	 */
	void noteBarren(List<Line> looked, List<ClaimedJob> claimed, long took) {
		long until = this.nanoTime.getAsLong() + Math.min(LEAVE_NANOS, BARREN_SHARE * took);
		Set<String> fruitful = claimed.stream().map(ClaimedJob::queue).collect(Collectors.toSet());
		looked.stream()
			.filter((line) -> !fruitful.contains(line.queue()))
			.forEach((line) -> this.barrenUntil.put(keyOf(line), until));
	}

	private boolean isLeftAlone(Line line) {
		Long until = this.barrenUntil.get(keyOf(line));
		return until != null && this.nanoTime.getAsLong() - until < 0;
	}

	private static Line keyOf(Line line) {
		return new Line(line.queue(), line.priority(), line.suspect(), line.lifo(), Duration.ZERO);
	}

	/**
	 * Leaves suspects alone for a while: there were none that this worker can run, or it
	 * could not get empty for them.
	 */
	void leaveSuspects() {
		this.inCompany = false;
		this.patienceUntil = this.nanoTime.getAsLong() + LEAVE_NANOS;
	}

}
