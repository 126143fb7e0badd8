package io.jobqueue.spring.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.jobqueue.QueueMode;
import io.jobqueue.store.Queues.Depth;

/**
 * Bounds how many queues have meters of their own. With a queue for each tenant, meters
 * would otherwise take more memory and time than the jobs.
 */
final class QueueTags {

	/** No queue can have this name. */
	static final String OTHERS = "(others)";

	private final int most;

	private final Set<String> named = ConcurrentHashMap.newKeySet();

	QueueTags(int most) {
		this.most = most;
	}

	/**
	 * The tag of what is counted for a queue. Counters never go away, so the first queues
	 * have their own.
	 */
	String of(String queue) {
		if (this.named.contains(queue)) {
			return queue;
		}
		// Two threads may both add one here, which makes no difference.
		return (this.named.size() < this.most && this.named.add(queue)) ? queue : OTHERS;
	}

	/**
	 * The queues with the most live jobs, and one that stands for the rest: their sum,
	 * and the age of the oldest job among them.
	 */
	List<Depth> busiest(List<Depth> depths) {
		if (depths.size() <= this.most) {
			return depths;
		}
		List<Depth> sorted = depths.stream().sorted(Comparator.comparingLong(QueueTags::live).reversed()).toList();
		List<Depth> shown = new ArrayList<>(sorted.subList(0, this.most));
		shown.add(sorted.subList(this.most, sorted.size())
			.stream()
			.reduce(Depth.empty(OTHERS, false, false, QueueMode.STANDARD), QueueTags::sum));
		return shown;
	}

	private static Depth sum(Depth sum, Depth next) {
		Duration oldest = (sum.oldestAge().compareTo(next.oldestAge()) > 0) ? sum.oldestAge() : next.oldestAge();
		return new Depth(OTHERS, sum.paused() || next.paused(), false, QueueMode.STANDARD, sum.ready() + next.ready(),
				sum.delayed() + next.delayed(), sum.waiting() + next.waiting(), sum.running() + next.running(),
				sum.suspects() + next.suspects(), oldest);
	}

	private static long live(Depth depth) {
		return depth.ready() + depth.delayed() + depth.waiting() + depth.running();
	}

}
