package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * Results that could not be committed though the database is there: it does not take
 * them, or somebody keeps the job's row locked. They wait here so that others get past
 * them, and are tried again after half a second, then ever later. The job stays claimed
 * meanwhile: to run it again would not help.
 */
final class PutAside {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

	private final LongSupplier nanoTime;

	/** Changed by the finisher's thread only. */
	private final List<Report> reports = new CopyOnWriteArrayList<>();

	/** This and the next for the finisher's thread only. */
	private Duration pause = FIRST_PAUSE;

	private long since;

	PutAside(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	void add(Report report) {
		if (this.reports.isEmpty()) {
			this.since = this.nanoTime.getAsLong();
		}
		this.reports.add(report);
	}

	/**
	 * Takes everything out if it is time to try it again.
	 * @return what to try; empty if there is nothing, or it is too early
	 */
	List<Report> takeDue() {
		if (this.reports.isEmpty()) {
			this.pause = FIRST_PAUSE;
			return List.of();
		}
		if (this.nanoTime.getAsLong() - this.since < this.pause.toNanos()) {
			return List.of();
		}
		Duration doubled = this.pause.multipliedBy(2);
		this.pause = (doubled.compareTo(MAX_PAUSE) < 0) ? doubled : MAX_PAUSE;
		List<Report> due = List.copyOf(this.reports);
		this.reports.clear();
		return due;
	}

	/**
	 * How many results wait.
	 */
	int size() {
		return this.reports.size();
	}

}
