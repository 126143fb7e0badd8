package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.jobqueue.store.ReadyRange;

import org.jspecify.annotations.Nullable;

/**
 * Where the next claim from a range may start: behind the last one. As long as somebody
 * has an old snapshot open (a report, a backup), the entries of finished jobs stay in the
 * claim index, and a claim from the very start walks over all of them.
 * <p>
 * It is a shortcut only. Jobs do not become visible in the order of their times: a late
 * commit, or one that was given back, stands before such a point. So a claim looks from
 * the start again at short intervals, and at once if there is nothing behind the point,
 * unless that look takes long; then it takes a share of the time.
 */
final class StartingPoints {

	/** How long jobs before the point may wait while there are others behind it. */
	private static final long INTERVAL_NANOS = Duration.ofMillis(100).toNanos();

	/** From when on a look from the start is one to be spared. */
	private static final long COSTLY_NANOS = Duration.ofMillis(20).toNanos();

	private static final int SHARE = 10;

	private static final long LONGEST_NANOS = Duration.ofMinutes(5).toNanos();

	private static final int MOST_RANGES = 1_000;

	private final LongSupplier nanoTime;

	private final Map<Key, Progress> ranges = new ConcurrentHashMap<>();

	StartingPoints(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Looks for jobs, and notes how far that came once the claim is committed.
	 * @param claim the claim that they are for
	 * @param range the range
	 * @param limit how many are wanted
	 * @param behind finds those behind a point, or from the very start if that is null
	 * @return what was found
	 */
	List<Candidate> look(ClaimTransaction claim, ReadyRange range, int limit,
			Function<@Nullable Point, List<Candidate>> behind) {
		Point start = of(range);
		if (start != null) {
			List<Candidate> jobs = behind.apply(start);
			if (!jobs.isEmpty() || isSpared(range)) {
				onCommit(claim, () -> resumed(range, last(jobs), jobs.size() == limit));
				return jobs;
			}
		}
		long before = this.nanoTime.getAsLong();
		try {
			List<Candidate> jobs = behind.apply(null);
			long took = this.nanoTime.getAsLong() - before;
			onCommit(claim, () -> looked(range, last(jobs), jobs.size() == limit, took));
			return jobs;
		}
		catch (RuntimeException ex) {
			failed(range, this.nanoTime.getAsLong() - before);
			throw ex;
		}
	}

	/**
	 * A claim that could not decide about jobs leaves them to the next one, which is to
	 * begin with them.
	 */
	private static void onCommit(ClaimTransaction claim, Runnable note) {
		claim.onCommit(() -> {
			if (!claim.isToLookAgain()) {
				note.run();
			}
		});
	}

	private static @Nullable Point last(List<Candidate> jobs) {
		return jobs.isEmpty() ? null : jobs.get(jobs.size() - 1).point();
	}

	/**
	 * Where to start.
	 * @param range the range
	 * @return the point behind which to start, or null for the very start
	 */
	@Nullable Point of(ReadyRange range) {
		Progress progress = this.ranges.get(Key.of(range));
		return (progress != null && (progress.full() || progress.isCostly()) && !isLookDue(progress)) ? progress.point()
				: null;
	}

	/**
	 * Whether a look from the start is spared though nothing is behind the point.
	 * @param range the range
	 * @return true if it would take long, and was made lately
	 */
	boolean isSpared(ReadyRange range) {
		Progress progress = this.ranges.get(Key.of(range));
		return progress != null && progress.isCostly() && !isLookDue(progress);
	}

	private boolean isLookDue(Progress progress) {
		long share = Math.min(LONGEST_NANOS, SHARE * progress.cost());
		return this.nanoTime.getAsLong() - progress.lookedAt() > Math.max(INTERVAL_NANOS, share);
	}

	/**
	 * Notes a look from the very start.
	 * @param range the range
	 * @param last the last job that it found, or null if none
	 * @param full whether there may be more behind it
	 * @param took how long it took, in nanoseconds
	 */
	void looked(ReadyRange range, @Nullable Point last, boolean full, long took) {
		if (this.ranges.size() > MOST_RANGES) {
			this.ranges.clear();
		}
		this.ranges.compute(Key.of(range), (key, before) -> {
			Point known = (before != null) ? before.point() : null;
			// A full batch of jobs before the point is better followed up than left to
			// the next looks.
			boolean further = last != null && (full || known == null || last.isBehind(known));
			Point point = further ? last : known;
			long tookBefore = (before != null) ? before.took() : 0;
			return (point != null) ? new Progress(point, full, this.nanoTime.getAsLong(), took, tookBefore) : null;
		});
	}

	/**
	 * Notes a look from the very start that came to nothing, as one does that takes
	 * longer than the server is waited for.
	 * @param range the range
	 * @param took how long it took, in nanoseconds
	 */
	void failed(ReadyRange range, long took) {
		this.ranges.computeIfPresent(Key.of(range),
				(key, before) -> new Progress(before.point(), before.full(), this.nanoTime.getAsLong(), took, took));
	}

	/**
	 * Notes a look from a starting point.
	 * @param range the range
	 * @param last the last job that it found, or null if none
	 * @param full whether there may be more behind it
	 */
	void resumed(ReadyRange range, @Nullable Point last, boolean full) {
		this.ranges.computeIfPresent(Key.of(range),
				(key, before) -> new Progress((last != null) ? last : before.point(), full, before.lookedAt(),
						before.took(), before.tookBefore()));
	}

	/**
	 * A place in a range.
	 *
	 * @param availableAt the time since when the job there is due, in UTC
	 * @param id its id
	 */
	record Point(LocalDateTime availableAt, long id) {

		boolean isBehind(Point other) {
			int byTime = this.availableAt.compareTo(other.availableAt);
			return byTime > 0 || (byTime == 0 && this.id > other.id);
		}

	}

	private record Key(String queue, int priority, int typeId) {

		static Key of(ReadyRange range) {
			return new Key(range.queue(), range.priority(), range.typeId());
		}

	}

	/**
	 * How far claims have come.
	 *
	 * @param point where the last one ended
	 * @param full whether it found as many jobs as it wanted
	 * @param lookedAt when the last look from the start ended
	 * @param took how long that took
	 * @param tookBefore how long the one before took
	 */
	private record Progress(Point point, boolean full, long lookedAt, long took, long tookBefore) {

		/** One that is slow once has been held up by something else. */
		long cost() {
			return Math.min(this.took, this.tookBefore);
		}

		boolean isCostly() {
			return cost() > COSTLY_NANOS;
		}

	}

}
