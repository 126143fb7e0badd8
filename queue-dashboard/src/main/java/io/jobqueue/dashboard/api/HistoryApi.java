package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jobqueue.store.Histogram;
import io.jobqueue.store.HistoryCounts;
import io.jobqueue.store.HistoryPoint;
import io.jobqueue.store.HistoryRange;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.HistoryStore;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;

/**
 * What happened in the last hour, day, week and quarter. What one has asked for is read
 * once for all who ask for the same.
 */
public final class HistoryApi {

	private static final int MOST_SUMS = 200;

	/** Longer, requests would take the application's threads. */
	private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

	/** Beyond that, what was asked for the longest time ago is forgotten. */
	private static final int MOST_SHARED = 100;

	private final HistoryStore store;

	private final boolean recorded;

	private final ReentrantLock oneAtATime = new ReentrantLock();

	@GuardedBy("shared")
	private final Map<Asked, Shared<History>> shared = new LinkedHashMap<>(16, 0.75F, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Asked, Shared<History>> eldest) {
			return size() > MOST_SHARED;
		}

	};

	/**
	 * Creates it.
	 * @param store the history
	 * @param recorded whether this node adds to it
	 */
	public HistoryApi(HistoryStore store, boolean recorded) {
		this.store = store;
		this.recorded = recorded;
	}

	/**
	 * A part of the history.
	 * @param range {@code hour}, {@code day}, {@code week} or {@code quarter}; null for
	 * an hour
	 * @param queue of one queue; null for all
	 * @param type of one type; null for all
	 */
	Aged<History> history(@Nullable String range, @Nullable String queue, @Nullable String type) {
		// Refuses what is no name.
		new JobFilters(null, queue, type, null, null, null, null, null).filter();
		Asked asked = new Asked(ChartRange.of(range), queue, type);
		Shared<History> answer;
		synchronized (this.shared) {
			answer = this.shared.computeIfAbsent(asked,
					(first) -> new Shared<>(first.range().readAgain(), () -> read(first), System::nanoTime));
		}
		return answer.aged();
	}

	/**
	 * One at a time: whoever asks for many must not take all connections.
	 */
	private History read(Asked asked) {
		ChartRange range = asked.range();
		HistoryRange read = new HistoryRange(range.length(), range.step(), asked.queue(), asked.type());
		if (!isFree()) {
			throw new CannotAcquireLockException("Others read the history");
		}
		try {
			HistoryPoint.Line line = this.store.line(read);
			List<Sum> sums = this.store.sums(read, MOST_SUMS).stream().map(Sum::of).toList();
			return new History(this.recorded, range.step().toSeconds(), points(range, line), sums);
		}
		finally {
			this.oneAtATime.unlock();
		}
	}

	private boolean isFree() {
		try {
			return this.oneAtATime.tryLock(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private static List<Point> points(ChartRange range, HistoryPoint.Line line) {
		Map<Instant, HistoryPoint> byTime = line.points()
			.stream()
			.collect(Collectors.toMap(HistoryPoint::at, Function.identity()));
		List<Point> points = new ArrayList<>();
		for (Instant at = line.until().minus(range.length()); at.isBefore(line.until()); at = at.plus(range.step())) {
			HistoryPoint point = byTime.get(at);
			points.add(Point.of(at, (point != null) ? point.counts() : HistoryCounts.NOTHING));
		}
		return points;
	}

	private record Asked(ChartRange range, @Nullable String queue, @Nullable String type) {

	}

	/**
	 * A part of the history.
	 *
	 * @param recorded whether this node adds to it
	 * @param stepSeconds how long a step is
	 * @param points the steps, the oldest first; also those in which nothing happened
	 * @param sums of each queue and type, those with the most attempts first; at most 200
	 */
	record History(boolean recorded, long stepSeconds, List<Point> points, List<Sum> sums) {

	}

	/**
	 * What happened in one step.
	 *
	 * @param at when it began
	 * @param delay how long jobs have waited after they were available, in seconds
	 * @param ran how long handlers have run, in seconds
	 * @param ready how many jobs were ready at most; null if that was not measured
	 * @param oldestSeconds how long the oldest of them had waited at most; null as well
	 */
	record Point(Instant at, long enqueued, long started, long succeeded, long failed, long dead, Quantiles delay,
			Quantiles ran, @Nullable Long ready, @Nullable Long oldestSeconds) {

		static Point of(Instant at, HistoryCounts counts) {
			HistoryCounts.Most most = counts.most();
			return new Point(at, counts.enqueued(), counts.started(), counts.succeeded(), counts.failed(),
					counts.dead(), Quantiles.of(counts.delay()), Quantiles.of(counts.ran()),
					(most != null) ? most.ready() : null, (most != null) ? most.oldestSeconds() : null);
		}

	}

	/**
	 * What happened to the jobs of a queue and a type; both are {@code *} for those that
	 * were not told apart.
	 */
	record Sum(String queue, String type, long enqueued, long started, long succeeded, long failed, long dead,
			Quantiles delay, Quantiles ran) {

		static Sum of(HistoryRow row) {
			HistoryCounts counts = row.counts();
			return new Sum(row.queue(), row.type(), counts.enqueued(), counts.started(), counts.succeeded(),
					counts.failed(), counts.dead(), Quantiles.of(counts.delay()), Quantiles.of(counts.ran()));
		}

	}

	/**
	 * What half of all, and what 95 of 100, do not exceed, in seconds; null if there are
	 * none.
	 */
	record Quantiles(@Nullable Double p50, @Nullable Double p95) {

		static Quantiles of(Histogram histogram) {
			return new Quantiles(seconds(histogram.quantile(0.5)), seconds(histogram.quantile(0.95)));
		}

		private static @Nullable Double seconds(@Nullable Duration duration) {
			return (duration != null) ? duration.toNanos() / 1e9 : null;
		}

	}

}
