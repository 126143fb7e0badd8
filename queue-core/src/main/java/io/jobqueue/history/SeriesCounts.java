package io.jobqueue.history;

import java.util.concurrent.atomic.AtomicLongArray;

import io.jobqueue.store.Histogram;
import io.jobqueue.store.HistoryCounts;

/**
 * What has happened to the jobs of one queue and type since it was taken the last time.
 * For all threads.
 */
final class SeriesCounts {

	/** The counters before the two histograms. */
	private static final int DELAY = Event.values().length;

	private static final int RAN = DELAY + Histogram.RANGES;

	private final AtomicLongArray counters = new AtomicLongArray(RAN + Histogram.RANGES);

	void add(Event event) {
		this.counters.incrementAndGet(event.ordinal());
	}

	void delayed(long nanos) {
		this.counters.incrementAndGet(DELAY + Histogram.rangeOf(nanos));
	}

	void ran(long nanos) {
		this.counters.incrementAndGet(RAN + Histogram.rangeOf(nanos));
	}

	/**
	 * Adds what was taken and could not be written.
	 */
	void giveBack(HistoryCounts counts) {
		this.counters.addAndGet(Event.ENQUEUED.ordinal(), counts.enqueued());
		this.counters.addAndGet(Event.STARTED.ordinal(), counts.started());
		this.counters.addAndGet(Event.SUCCEEDED.ordinal(), counts.succeeded());
		this.counters.addAndGet(Event.FAILED.ordinal(), counts.failed());
		this.counters.addAndGet(Event.DEAD.ordinal(), counts.dead());
		for (int range = 0; range < Histogram.RANGES; range++) {
			this.counters.addAndGet(DELAY + range, counts.delay().count(range));
			this.counters.addAndGet(RAN + range, counts.ran().count(range));
		}
	}

	/**
	 * Takes what has happened, so that it begins anew with nothing.
	 */
	HistoryCounts take() {
		return new HistoryCounts(take(Event.ENQUEUED), take(Event.STARTED), take(Event.SUCCEEDED), take(Event.FAILED),
				take(Event.DEAD), histogram(DELAY), histogram(RAN), null);
	}

	private long take(Event event) {
		return this.counters.getAndSet(event.ordinal(), 0);
	}

	private Histogram histogram(int first) {
		long[] counts = new long[Histogram.RANGES];
		for (int range = 0; range < counts.length; range++) {
			counts[range] = this.counters.getAndSet(first + range, 0);
		}
		return Histogram.of(counts);
	}

	/**
	 * What happens to jobs.
	 */
	enum Event {

		ENQUEUED, STARTED, SUCCEEDED, FAILED, DEAD

	}

}
