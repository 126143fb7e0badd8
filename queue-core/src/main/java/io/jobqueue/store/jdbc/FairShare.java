package io.jobqueue.store.jdbc;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

import io.jobqueue.store.ReadyRange;

/**
 * Shares the room of one claim among ranges. A higher priority comes first; ranges of one
 * priority get equal parts, and what one does not use goes to the others. Each of the
 * first gets a handful at least: with ten thousand queues a claim is to ask some of them
 * and not each for one job.
 */
final class FairShare {

	private static final int HANDFUL = 8;

	private final List<ReadyRange> ranges;

	private final int limit;

	FairShare(List<ReadyRange> ranges, int limit) {
		this.ranges = ranges;
		this.limit = limit;
	}

	/**
	 * Takes jobs until there is no room, or there are no more.
	 * @param lock locks the next jobs of a range, no more than it is told
	 * @return what was locked
	 */
	List<LockNextJobs.Candidate> take(BiFunction<ReadyRange, Integer, List<LockNextJobs.Candidate>> lock) {
		List<LockNextJobs.Candidate> taken = new ArrayList<>();
		for (int start = 0; start < this.ranges.size() && taken.size() < this.limit;) {
			int end = start + 1;
			while (end < this.ranges.size() && this.ranges.get(end).priority() == this.ranges.get(start).priority()) {
				end++;
			}
			takeFromEqual(this.ranges.subList(start, end), taken, lock);
			start = end;
		}
		return taken;
	}

	private void takeFromEqual(List<ReadyRange> equal, List<LockNextJobs.Candidate> taken,
			BiFunction<ReadyRange, Integer, List<LockNextJobs.Candidate>> lock) {
		Set<ReadyRange> left = new HashSet<>(equal);
		while (!left.isEmpty() && taken.size() < this.limit) {
			int room = this.limit - taken.size();
			int part = Math.max((room + left.size() - 1) / left.size(), HANDFUL);
			for (ReadyRange range : equal) {
				int most = Math.min(part, this.limit - taken.size());
				if (most > 0 && left.contains(range)) {
					List<LockNextJobs.Candidate> locked = lock.apply(range, most);
					taken.addAll(locked);
					if (locked.size() < most) {
						left.remove(range);
					}
				}
			}
		}
	}

}
