package io.jobqueue.store.jdbc.claim;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

import io.jobqueue.store.QueueShares;
import io.jobqueue.store.ReadyRange;

/**
 * Shares the room of one claim among ranges. A higher priority comes first; ranges of one
 * priority get equal parts, or as many as the weight of their queue says, which they
 * share if the queue has several; what one does not use goes to the others. Each of the
 * first gets a handful at least: with ten thousand queues a claim is to ask some of them
 * and not each for one job. Only where weights are set and ranges are few, one may get
 * less. No queue gets more than it has room for itself, and no limit more than is left of
 * it.
 */
final class FairShare {

	private static final int HANDFUL = 8;

	private final List<ReadyRange> ranges;

	private final int limit;

	private final QueueShares shares;

	private final Map<Long, Candidate> taken = new LinkedHashMap<>();

	private int cannotRun;

	/** How many were taken of queues that have a room of their own. */
	private final Map<String, Integer> ofQueue = new HashMap<>();

	/** How many more may be taken, by the number of the limit. */
	private final Map<Integer, Integer> leftOfLimit;

	FairShare(List<ReadyRange> ranges, int limit, QueueShares shares) {
		this(ranges, limit, shares, Map.of());
	}

	/**
	 * Shares among ranges of which some have limits.
	 * @param ranges the ranges
	 * @param limit how many jobs at most
	 * @param shares how queues share
	 * @param leftOfLimit how many of a limit may be taken, by its number; any number of
	 * one that is not there
	 */
	FairShare(List<ReadyRange> ranges, int limit, QueueShares shares, Map<Integer, Integer> leftOfLimit) {
		this.leftOfLimit = new HashMap<>(leftOfLimit);
		this.ranges = ranges;
		this.limit = limit;
		this.shares = shares;
	}

	/**
	 * Takes jobs until there is no room, or there are no more.
	 * @param lock locks the next jobs of a range, no more than it is told. Asked again
	 * for the same range it begins with the same jobs, as a transaction does not pass
	 * over what it has locked itself
	 * @return what was locked, each job once
	 */
	List<Candidate> take(BiFunction<ReadyRange, Integer, List<Candidate>> lock) {
		for (int start = 0; start < this.ranges.size() && this.taken.size() < this.limit;) {
			int end = start + 1;
			while (end < this.ranges.size() && this.ranges.get(end).priority() == this.ranges.get(start).priority()) {
				end++;
			}
			takeFromEqual(this.ranges.subList(start, end), lock);
			start = end;
		}
		return List.copyOf(this.taken.values());
	}

	private void takeFromEqual(List<ReadyRange> equal, BiFunction<ReadyRange, Integer, List<Candidate>> lock) {
		Map<ReadyRange, Integer> left = new LinkedHashMap<>();
		equal.forEach((range) -> left.put(range, 0));
		while (!left.isEmpty() && this.taken.size() < this.limit) {
			long room = this.limit - this.taken.size();
			Map<String, Long> rangesOf = left.keySet()
				.stream()
				.collect(Collectors.groupingBy(ReadyRange::queue, Collectors.counting()));
			long weights = rangesOf.keySet().stream().mapToLong(this.shares::weight).sum();
			long least = (this.shares.weights().isEmpty() || left.size() > HANDFUL) ? HANDFUL : 1;
			left.entrySet().removeIf((range) -> {
				String queue = range.getKey().queue();
				int roomOfRange = room(range.getKey());
				if (roomOfRange <= 0) {
					return true;
				}
				long ofAll = weights * rangesOf.getOrDefault(queue, 1L);
				long part = Math.max((room * this.shares.weight(queue) + ofAll - 1) / ofAll, least);
				int most = (int) Math.min(Math.min(part, this.limit - this.taken.size()), roomOfRange);
				if (most > 0) {
					List<Candidate> locked = lock.apply(range.getKey(), range.getValue() + most);
					boolean all = locked.size() < range.getValue() + most;
					range.setValue(locked.size());
					locked.forEach((candidate) -> take(range.getKey(), candidate));
					return all;
				}
				return false;
			});
		}
	}

	/**
	 * A handful of what cannot run takes no room: it is archived, and a look brings one
	 * at least. Where a second look brings others than the first, there may be more than
	 * was asked for.
	 */
	private void take(ReadyRange range, Candidate candidate) {
		boolean runs = candidate.canRun();
		if (this.taken.size() < this.limit && (!runs || room(range) > 0)
				&& this.taken.putIfAbsent(candidate.id(), candidate) == null && (runs || ++this.cannotRun > HANDFUL)) {
			note(range);
		}
	}

	private int room(ReadyRange range) {
		int ofQueue = this.shares.room(range.queue()) - this.ofQueue.getOrDefault(range.queue(), 0);
		return Math.min(ofQueue,
				range.isOfLimitKeys() ? ofQueue : this.leftOfLimit.getOrDefault(range.limitId(), Integer.MAX_VALUE));
	}

	private void note(ReadyRange range) {
		if (this.shares.rooms().containsKey(range.queue())) {
			this.ofQueue.merge(range.queue(), 1, Integer::sum);
		}
		if (!range.isOfLimitKeys()) {
			this.leftOfLimit.computeIfPresent(range.limitId(), (limit, left) -> left - 1);
		}
	}

}
