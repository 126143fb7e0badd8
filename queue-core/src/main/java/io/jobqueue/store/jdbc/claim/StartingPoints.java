package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.jobqueue.database.Database;
import io.jobqueue.store.ReadyRange;

import org.jspecify.annotations.Nullable;

/**
 * Where the next claim from a range may start: behind the last one. As long as somebody
 * has an old snapshot open (a report, a backup), the entries of finished jobs stay in the
 * claim index, and a claim from the very start walks over all of them. So it does over
 * jobs that this node has no handler for, until they are sorted out.
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
	static final long COSTLY_NANOS = Duration.ofMillis(20).toNanos();

	static final int SHARE = 10;

	/**
	 * Where a slow look passed over everything, the next ones start so long before it. A
	 * job becomes visible some time after the one of its row: with its commit.
	 */
	private static final Duration COMMITS_WITHIN = Duration.ofSeconds(1);

	private static final long LONGEST_NANOS = Duration.ofMinutes(5).toNanos();

	private static final int MOST_RANGES = 1_000;

	private static final String NOW = "SELECT {now}";

	private final LongSupplier nanoTime;

	private final Supplier<LocalDateTime> now;

	private final Map<Key, Progress> ranges = new ConcurrentHashMap<>();

	private final FruitlessLooks fruitless;

	/**
	 * Creates it; nothing is known yet.
	 * @param nanoTime the monotonic clock
	 * @param now reads the database's clock
	 */
	StartingPoints(LongSupplier nanoTime, Supplier<LocalDateTime> now) {
		this.nanoTime = nanoTime;
		this.now = now;
		this.fruitless = new FruitlessLooks(nanoTime);
	}

	static StartingPoints of(Database database, LongSupplier nanoTime) {
		return new StartingPoints(nanoTime, () -> database.sql(NOW).query(LocalDateTime.class).single());
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
		if (this.fruitless.isLeftAlone(range)) {
			return List.of();
		}
		long begun = this.nanoTime.getAsLong();
		List<Candidate> jobs = lookAround(claim, range, limit, behind);
		this.fruitless.looked(range, !jobs.isEmpty(), this.nanoTime.getAsLong() - begun);
		return jobs;
	}

	private List<Candidate> lookAround(ClaimTransaction claim, ReadyRange range, int limit,
			Function<@Nullable Point, List<Candidate>> behind) {
		Point passed = wasSlow(range) ? Point.upTo(claim.now(this.now).minus(COMMITS_WITHIN)) : null;
		Point start = of(range);
		if (start != null) {
			List<Candidate> jobs = behind.apply(start);
			if (!jobs.isEmpty() || isSpared(range)) {
				onCommit(claim, () -> resumed(range, end(jobs, limit, passed), jobs.size() == limit));
				return jobs;
			}
		}
		long before = this.nanoTime.getAsLong();
		try {
			List<Candidate> jobs = behind.apply(null);
			long took = this.nanoTime.getAsLong() - before;
			onCommit(claim, () -> looked(range, end(jobs, limit, passed), jobs.size() == limit, took));
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

	/**
	 * How far a look has come: to the last job, or over all that was due when it began if
	 * there were fewer than wanted.
	 */
	private static @Nullable Point end(List<Candidate> jobs, int limit, @Nullable Point passed) {
		if (passed != null && jobs.size() < limit) {
			return passed;
		}
		return jobs.isEmpty() ? null : jobs.get(jobs.size() - 1).point();
	}

	private boolean wasSlow(ReadyRange range) {
		Progress progress = this.ranges.get(Key.of(range));
		return progress != null && progress.took() > COSTLY_NANOS && !progress.full();
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
	 * @param last how far it came, or null if it found no job
	 * @param full whether there may be more behind it
	 * @param took how long it took, in nanoseconds
	 */
	void looked(ReadyRange range, @Nullable Point last, boolean full, long took) {
		if (this.ranges.size() > MOST_RANGES) {
			this.ranges.clear();
		}
		this.ranges.compute(Key.of(range), (key, before) -> {
			Point point = further(last, full, (before != null) ? before.point() : null);
			long tookBefore = (before != null) ? before.took() : 0;
			return (point != null || took > COSTLY_NANOS)
					? new Progress(point, full, this.nanoTime.getAsLong(), took, tookBefore) : null;
		});
	}

	/**
	 * A full batch of jobs before the point is better followed up than left to the next
	 * looks. So is what may be committed late, where all was read over.
	 */
	private static @Nullable Point further(@Nullable Point last, boolean full, @Nullable Point known) {
		return (last != null && (full || last.isUpToTime() || known == null || last.isBehind(known))) ? last : known;
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
	 * @param last how far it came, or null if it found no job
	 * @param full whether there may be more behind it
	 */
	void resumed(ReadyRange range, @Nullable Point last, boolean full) {
		this.ranges.computeIfPresent(Key.of(range), (key, before) -> new Progress(further(last, full, before.point()),
				full, before.lookedAt(), before.took(), before.tookBefore()));
	}

	private record Key(String queue, int priority, int typeId) {

		static Key of(ReadyRange range) {
			return new Key(range.queue(), range.priority(), range.typeId());
		}

	}

	/**
	 * How far claims have come.
	 *
	 * @param point where the last one ended; null if that is not known
	 * @param full whether it found as many jobs as it wanted
	 * @param lookedAt when the last look from the start ended
	 * @param took how long that took
	 * @param tookBefore how long the one before took
	 */
	private record Progress(@Nullable Point point, boolean full, long lookedAt, long took, long tookBefore) {

		/** One that is slow once has been held up by something else. */
		long cost() {
			return Math.min(this.took, this.tookBefore);
		}

		boolean isCostly() {
			return cost() > COSTLY_NANOS;
		}

	}

}
