package io.jobqueue.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.jobqueue.history.SeriesCounts.Event;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.HistoryCounts;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.QueueListener;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens on this node, by queue and type. Only so many pairs of them are
 * told apart in a minute, those that come first; the others are counted together.
 */
public final class HistoryRecorder implements QueueListener, WorkerListener {

	private static final Series OTHERS = new Series("", "");

	private static final HistoryCounts NOTHING = new SeriesCounts().take();

	private final int mostSeries;

	private final Map<Series, SeriesCounts> series = new ConcurrentHashMap<>();

	private final SeriesCounts others = new SeriesCounts();

	/**
	 * Creates a recorder that has counted nothing yet.
	 * @param mostSeries how many pairs of queue and type are told apart
	 */
	public HistoryRecorder(int mostSeries) {
		this.mostSeries = mostSeries;
	}

	@Override
	public void enqueued(List<EnqueuedJob> jobs) {
		for (EnqueuedJob job : jobs) {
			of(job.job().queue(), job.job().type()).add(Event.ENQUEUED);
		}
	}

	@Override
	public void started(ClaimedJob job, Duration delay) {
		SeriesCounts counts = of(job.queue(), job.type());
		counts.add(Event.STARTED);
		counts.delayed(nanos(delay));
	}

	@Override
	public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
		if (outcome == Outcome.RELEASED || outcome == Outcome.STALE) {
			return;
		}
		SeriesCounts counts = of(job.queue(), job.type());
		counts.ran(nanos(duration));
		if (outcome == Outcome.SUCCEEDED) {
			counts.add(Event.SUCCEEDED);
			return;
		}
		counts.add(Event.FAILED);
		if (outcome == Outcome.DEAD) {
			counts.add(Event.DEAD);
		}
	}

	/**
	 * Notes how much a queue has to do. The most of a minute is kept.
	 * @param queue the queue
	 * @param ready how many jobs are ready
	 * @param oldest how long the oldest of them has waited
	 */
	public void depth(String queue, long ready, Duration oldest) {
		if (ready > 0) {
			of(queue, "").depth(ready, oldest.toSeconds());
		}
	}

	/** A duration may be longer than nanoseconds can tell, if a clock was changed. */
	private static long nanos(Duration duration) {
		return (duration.compareTo(Duration.ofDays(1)) < 0) ? duration.toNanos() : Duration.ofDays(1).toNanos();
	}

	private SeriesCounts of(String queue, String type) {
		Series wanted = new Series(queue, type);
		SeriesCounts found = this.series.get(wanted);
		if (found != null) {
			return found;
		}
		return (this.series.size() < this.mostSeries)
				? this.series.computeIfAbsent(wanted, (added) -> new SeriesCounts()) : this.others;
	}

	/**
	 * Takes what has happened since the last time. Who counts at this very moment may be
	 * missed.
	 * @return a row for each pair of queue and type to which something has happened
	 */
	List<HistoryRow> take() {
		List<HistoryRow> rows = new ArrayList<>();
		for (Iterator<Map.Entry<Series, SeriesCounts>> all = this.series.entrySet().iterator(); all.hasNext();) {
			Map.Entry<Series, SeriesCounts> entry = all.next();
			HistoryCounts counts = entry.getValue().take();
			if (counts.equals(NOTHING)) {
				all.remove();
				// Somebody may have counted before it was removed.
				counts = entry.getValue().take();
			}
			if (!counts.equals(NOTHING)) {
				rows.add(entry.getKey().row(counts));
			}
		}
		HistoryCounts counts = this.others.take();
		if (!counts.equals(NOTHING)) {
			rows.add(OTHERS.row(counts));
		}
		return rows;
	}

	/**
	 * Counts again what was taken and could not be written.
	 * @param rows what {@link #take} has returned
	 */
	void giveBack(List<HistoryRow> rows) {
		rows.forEach((row) -> (row.queue().isEmpty() ? this.others : of(row.queue(), row.type())).giveBack(row.counts()));
	}

	private record Series(String queue, String type) {

		HistoryRow row(HistoryCounts counts) {
			return new HistoryRow(this.queue, this.type, counts);
		}

	}

}
