package io.jobqueue.worker.poll;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;

/**
 * The turns of queues: the highest priority comes first, and queues of one priority come
 * one after another. If some have a weight, those come first that have had the least for
 * theirs.
 */
final class Turns {

	private final Map<String, Integer> weights;

	/** The queue that had the last turn, by priority. */
	private final Map<Integer, String> lastTurn = new HashMap<>();

	private final Map<Integer, Served> served = new HashMap<>();

	/** When ranges of last-in-first-out queues had their last turns, counted in turns. */
	private final Map<ReadyRange, Long> lifoTurns = new HashMap<>();

	/**
	 * Of the ranges of one queue that with the oldest job comes first. Where the newest
	 * job comes first the oldest one stays, so there ranges take turns.
	 */
	private final Comparator<ReadyRange> byQueue = Comparator.comparing(ReadyRange::queue)
		.thenComparing((range) -> this.lifoTurns.getOrDefault(range.key(), 0L))
		.thenComparing(ReadyRange::dueIn);

	private long turns;

	/**
	 * Begins with the first turn.
	 * @param weights how many times the usual share a queue gets, by name; 1 for one that
	 * is not named
	 */
	Turns(Map<String, Integer> weights) {
		this.weights = weights;
	}

	/**
	 * Forgets ranges that are not there any more.
	 * @param ranges all that are there
	 */
	void retain(List<ReadyRange> ranges) {
		if (!this.lifoTurns.isEmpty()) {
			this.lifoTurns.keySet().retainAll(ranges.stream().map(ReadyRange::key).collect(Collectors.toSet()));
		}
	}

	/**
	 * Notes from which ranges is to be claimed now. A queue that had no jobs for some
	 * time has missed nothing.
	 * @param due those ranges
	 */
	void due(List<ReadyRange> due) {
		if (!this.weights.isEmpty()) {
			due.stream()
				.collect(Collectors.groupingBy(ReadyRange::priority))
				.forEach((priority, equal) -> served(priority).due(equal));
		}
	}

	/** Whether any queue has a weight. */
	boolean areWeighted() {
		return !this.weights.isEmpty();
	}

	private Served served(int priority) {
		return this.served.computeIfAbsent(priority, (key) -> new Served());
	}

	/**
	 * Sorts by priority; within one, by the queues' names, beginning behind the one that
	 * had the last turn, or by what they have had for their weights.
	 */
	List<ReadyRange> inTurn(List<ReadyRange> due) {
		NavigableMap<Integer, List<ReadyRange>> byPriority = new TreeMap<>();
		due.forEach((range) -> byPriority.computeIfAbsent(range.priority(), (key) -> new ArrayList<>()).add(range));
		List<ReadyRange> sorted = new ArrayList<>(due.size());
		byPriority.descendingMap().forEach((priority, equal) -> {
			equal.sort(this.byQueue);
			String last = this.lastTurn.get(priority);
			if (last != null) {
				long first = equal.stream().filter((range) -> range.queue().compareTo(last) <= 0).count();
				Collections.rotate(equal, -(int) first);
			}
			if (!this.weights.isEmpty()) {
				served(priority).sort(equal);
			}
			sorted.addAll(equal);
		});
		return sorted;
	}

	/**
	 * Notes that a job was claimed.
	 */
	void note(ClaimedJob job) {
		ReadyRange range = job.range();
		this.lastTurn.put(range.priority(), range.queue());
		if (range.lifo()) {
			this.lifoTurns.put(range.key(), ++this.turns);
		}
		if (!this.weights.isEmpty()) {
			served(range.priority()).note(range.queue(), this.weights.getOrDefault(range.queue(), 1));
		}
	}

	/**
	 * Notes that queues were asked for jobs and had none for this worker, although they
	 * are due: they have missed nothing either.
	 * @param priority their priority
	 * @param queues those queues
	 * @param others the queues that had some
	 */
	void noteNone(int priority, Collection<String> queues, Collection<String> others) {
		served(priority).noteNone(queues, others);
	}

	/**
	 * How much the queues of one priority have had, divided by their weights. One that
	 * had no jobs for some time has missed nothing: it begins where the others are.
	 */
	private static final class Served {

		private final Map<String, Double> byQueue = new HashMap<>();

		private double least;

		void due(List<ReadyRange> due) {
			double lowest = due.stream().mapToDouble((range) -> had(range.queue())).min().orElse(this.least);
			this.least = Math.max(this.least, lowest);
			this.byQueue.values().removeIf((had) -> had <= this.least);
		}

		void noteNone(Collection<String> queues, Collection<String> others) {
			others.stream()
				.mapToDouble(this::had)
				.min()
				.ifPresent((lowest) -> queues.forEach((queue) -> this.byQueue.merge(queue, lowest, Math::max)));
		}

		void sort(List<ReadyRange> due) {
			due.sort(Comparator.comparingDouble((ReadyRange range) -> had(range.queue())));
		}

		void note(String queue, int weight) {
			this.byQueue.put(queue, had(queue) + 1.0 / weight);
		}

		private double had(String queue) {
			return Math.max(this.least, this.byQueue.getOrDefault(queue, 0.0));
		}

	}

}
