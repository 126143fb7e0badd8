package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;

/**
 * Which ranges to claim from next. The highest priority comes first; queues of one
 * priority take turns. Suspects are claimed only by a worker that holds nothing, and it
 * claims nothing else until it has finished them; so that they do not wait for ever, it
 * runs empty for them after a while.
 */
final class ClaimPlan {

	private static final Comparator<ReadyRange> BY_QUEUE = Comparator.comparing(ReadyRange::queue)
		.thenComparing(ReadyRange::dueIn);

	private static final long MIN_PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

	/**
	 * How long the worker runs empty at most; a job of an hour must not keep its slots
	 * idle for that time.
	 */
	private static final long MAX_EMPTYING_NANOS = Duration.ofSeconds(30).toNanos();

	private static final long LEAVE_NANOS = Duration.ofSeconds(10).toNanos();

	private static final long BARREN_NANOS = Duration.ofSeconds(2).toNanos();

	private static final int BARREN_SHARE = 20;

	private final LongSupplier nanoTime;

	private final RandomGenerator random;

	/** Ranges that are left alone, because only jobs for others were found in them. */
	private final Map<ReadyRange, Long> barrenUntil = new HashMap<>();

	/** The queue that had the last turn, by priority. */
	private final Map<Integer, String> lastTurn = new HashMap<>();

	private boolean inCompany;

	/** Until when suspects may be left waiting; zero if none wait. */
	private long patienceUntil;

	ClaimPlan(LongSupplier nanoTime, RandomGenerator random) {
		this.nanoTime = nanoTime;
		this.random = random;
	}

	/**
	 * Chooses the ranges.
	 * @param ranges those that the worker serves
	 * @param held how many jobs it holds
	 * @param lingering how many results cannot be committed, and how many slots are lost
	 * to handlers that were given up: with these it does not get empty
	 * @return the due ranges to claim from, the most urgent first; none if it has to run
	 * empty
	 */
	List<ReadyRange> choose(List<ReadyRange> ranges, int held, int lingering) {
		// Suspects that have run and wait for their results to be committed are company
		// too: should another job crash the worker then, they would be convicted of it.
		if (this.inCompany && held > 0) {
			return List.of();
		}
		this.inCompany = false;
		long now = this.nanoTime.getAsLong();
		this.barrenUntil.values().removeIf((until) -> now - until >= 0);
		List<ReadyRange> due = ranges.stream()
			.filter(ReadyRange::isDue)
			.filter((range) -> !this.barrenUntil.containsKey(keyOf(range)))
			.toList();
		List<ReadyRange> suspects = inTurn(due.stream().filter(ReadyRange::suspect).toList());
		List<ReadyRange> others = inTurn(due.stream().filter((range) -> !range.suspect()).toList());
		if (suspects.isEmpty()) {
			this.patienceUntil = 0;
			return others;
		}
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
	 * Sorts by priority; within one, by the queues' names, beginning behind the one that
	 * had the last turn.
	 */
	private List<ReadyRange> inTurn(List<ReadyRange> due) {
		NavigableMap<Integer, List<ReadyRange>> byPriority = new TreeMap<>();
		due.forEach((range) -> byPriority.computeIfAbsent(range.priority(), (key) -> new ArrayList<>()).add(range));
		List<ReadyRange> sorted = new ArrayList<>(due.size());
		byPriority.descendingMap().forEach((priority, equal) -> {
			equal.sort(BY_QUEUE);
			String last = this.lastTurn.get(priority);
			if (last != null) {
				long first = equal.stream().filter((range) -> range.queue().compareTo(last) <= 0).count();
				Collections.rotate(equal, -(int) first);
			}
			sorted.addAll(equal);
		});
		return sorted;
	}

	/**
	 * Notes what came of a claim: who has had a turn, and which ranges had nothing for
	 * this worker in spite of being due. All of their jobs are read each time, so such a
	 * range is left alone for twenty times as long as that took, two seconds at most.
	 * @param asked the ranges
	 * @param claimed the jobs that were claimed, in the order of the ranges
	 * @param allAsked whether each range was looked at
	 * @param took how long that took, in nanoseconds
	 */
	void note(List<ReadyRange> asked, List<ClaimedJob> claimed, boolean allAsked, long took) {
		if (!claimed.isEmpty()) {
			String last = claimed.get(claimed.size() - 1).queue();
			asked.stream()
				.filter((range) -> range.queue().equals(last))
				.map(ReadyRange::priority)
				.min(Comparator.naturalOrder())
				.ifPresent((priority) -> this.lastTurn.put(priority, last));
		}
		if (allAsked) {
			long until = this.nanoTime.getAsLong() + Math.min(BARREN_NANOS, BARREN_SHARE * took);
			Set<String> fruitful = claimed.stream().map(ClaimedJob::queue).collect(Collectors.toSet());
			asked.stream()
				.filter((range) -> !fruitful.contains(range.queue()))
				.forEach((range) -> this.barrenUntil.put(keyOf(range), until));
		}
	}

	private static ReadyRange keyOf(ReadyRange range) {
		return range.withDueIn(Duration.ZERO);
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
