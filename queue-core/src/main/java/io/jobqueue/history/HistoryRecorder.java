package io.jobqueue.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.jobqueue.history.SeriesCounts.Event;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.HistoryCounts;
import io.jobqueue.store.HistoryCounts.Most;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.QueueListener;
import io.jobqueue.store.Queues;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens on this node, by queue and type. Only so many pairs of them are
 * told apart in a minute, those that come first; the others are counted together.
 */
public final class HistoryRecorder implements QueueListener, WorkerListener {

	/** Times that are longer are all in the last range. */
	private static final Duration LONGEST = Duration.ofDays(1);

	private final int mostSeries;

	private volatile Minute current = new Minute();

	/**
	 * Who has counted in the minute before when that was taken is found with this one.
	 */
	private Minute before = new Minute();

	/**
	 * Creates a recorder that has counted nothing yet.
	 * @param mostSeries how many pairs of queue and type are told apart, and of how many
	 * queues it is told how much there is to do
	 */
	public HistoryRecorder(int mostSeries) {
		this.mostSeries = mostSeries;
	}

	@Override
	public void enqueued(List<EnqueuedJob> jobs) {
		Minute minute = this.current;
		jobs.forEach((job) -> minute.of(job.job().queue(), job.job().type()).add(Event.ENQUEUED));
	}

	@Override
	public void started(ClaimedJob job, Duration delay) {
		SeriesCounts counts = this.current.of(job.queue(), job.type());
		counts.add(Event.STARTED);
		counts.delayed(nanos(delay));
	}

	@Override
	public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
		if (outcome == Outcome.RELEASED || outcome == Outcome.STALE) {
			return;
		}
		SeriesCounts counts = this.current.of(job.queue(), job.type());
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
	 * Notes how much there is to do. The most of a minute is kept; of many queues those
	 * with most to do are told apart.
	 * @param queues all queues, just measured
	 */
	public void measured(List<Queues.Depth> queues) {
		Minute minute = this.current;
		long ready = 0;
		Duration oldest = Duration.ZERO;
		for (Queues.Depth queue : queues) {
			ready += queue.ready();
			oldest = (queue.oldestAge().compareTo(oldest) > 0) ? queue.oldestAge() : oldest;
		}
		queues.stream()
			.filter((queue) -> queue.ready() > 0)
			.sorted(Comparator.comparingLong(Queues.Depth::ready).reversed())
			.forEach((queue) -> minute.most(queue.queue(), new Most(queue.ready(), queue.oldestAge().toSeconds())));
		minute.most(HistoryRow.ALL, new Most(ready, oldest.toSeconds()));
	}

	private static long nanos(Duration duration) {
		return ((duration.compareTo(LONGEST) < 0) ? duration : LONGEST).toNanos();
	}

	/**
	 * Takes what has happened since the last time. Not for two threads at once.
	 * @return a row for each pair of queue and type to which something has happened, and
	 * for each queue in which there was something to do
	 */
	List<HistoryRow> take() {
		Minute taken = this.current;
		this.current = new Minute();
		this.before.late(taken);
		this.before = taken;
		return taken.take();
	}

	/**
	 * Counts again what was taken and could not be written.
	 * @param rows what {@link #take} has returned
	 */
	void giveBack(List<HistoryRow> rows) {
		rows.forEach(this.current::giveBack);
	}

	/**
	 * What has happened since it was created.
	 */
	private final class Minute {

		private final Map<Series, SeriesCounts> series = new ConcurrentHashMap<>();

		private final SeriesCounts others = new SeriesCounts();

		private final Map<String, Most> most = new ConcurrentHashMap<>();

		SeriesCounts of(String queue, String type) {
			Series wanted = new Series(queue, type);
			SeriesCounts found = this.series.get(wanted);
			if (found != null) {
				return found;
			}
			return (this.series.size() < HistoryRecorder.this.mostSeries)
					? this.series.computeIfAbsent(wanted, (added) -> new SeriesCounts()) : this.others;
		}

		void most(String queue, Most measured) {
			boolean isKnown = queue.equals(HistoryRow.ALL) || this.most.containsKey(queue)
					|| this.most.size() < HistoryRecorder.this.mostSeries;
			this.most.merge(isKnown ? queue : HistoryRow.OTHERS, measured, Most::or);
		}

		List<HistoryRow> take() {
			List<HistoryRow> rows = new ArrayList<>();
			this.series.forEach((key, counts) -> add(rows, key.queue(), key.type(), counts.take()));
			add(rows, HistoryRow.OTHERS, HistoryRow.OTHERS, this.others.take());
			this.most.forEach(
					(queue, measured) -> rows.add(new HistoryRow(queue, HistoryRow.ALL, HistoryCounts.of(measured))));
			return rows;
		}

		private static void add(List<HistoryRow> rows, String queue, String type, HistoryCounts counts) {
			if (!counts.equals(HistoryCounts.NOTHING)) {
				rows.add(new HistoryRow(queue, type, counts));
			}
		}

		/**
		 * Hands on what was counted here after it had been taken.
		 */
		void late(Minute next) {
			this.most.clear();
			take().forEach(next::giveBack);
		}

		void giveBack(HistoryRow row) {
			Most measured = row.counts().most();
			if (measured != null) {
				most(row.queue(), measured);
			}
			else if (row.queue().equals(HistoryRow.OTHERS)) {
				this.others.giveBack(row.counts());
			}
			else {
				of(row.queue(), row.type()).giveBack(row.counts());
			}
		}

	}

	private record Series(String queue, String type) {

	}

}
