package io.jobqueue.worker.poll;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.jobqueue.QueueMode;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.WorkerSettings;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ranges that a worker serves: those of its queues, but for queues in the mode
 * row-lock if it must not run their jobs. A queue may get that mode while the worker
 * runs.
 */
public final class ServedRanges {

	private static final Logger log = LoggerFactory.getLogger(ServedRanges.class);

	private final WorkerSettings settings;

	private volatile Set<String> leftOut = Set.of();

	public ServedRanges(WorkerSettings settings) {
		this.settings = settings;
	}

	/**
	 * The queues whose jobs it leaves to other workers, because of their mode.
	 */
	public Set<String> leftOut() {
		return this.leftOut;
	}

	List<ReadyRange> of(List<ReadyRange> ranges) {
		List<ReadyRange> ofQueues = ranges.stream().filter((range) -> this.settings.serves(range.queue())).toList();
		if (this.settings.rowLockProblem().isEmpty()) {
			return ofQueues;
		}
		note(ofQueues);
		return ofQueues.stream().filter((range) -> range.mode() != QueueMode.ROW_LOCK).toList();
	}

	/**
	 * A queue without jobs has no range, and no mode that is known.
	 */
	private void note(List<ReadyRange> ranges) {
		Set<String> now = new TreeSet<>(this.leftOut);
		for (ReadyRange range : ranges) {
			if (range.mode() != QueueMode.ROW_LOCK) {
				now.remove(range.queue());
			}
			else if (now.add(range.queue())) {
				log.warn("Queue '{}' is in the mode row-lock now. This worker leaves its jobs to others: {}",
						range.queue(), this.settings.rowLockProblem());
			}
		}
		this.leftOut = now;
	}

}
