package io.jobqueue.store;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * What a worker knows of limits between its claims: which ones have nothing left for some
 * time, so that it need not ask, and of which keys a job has ended, so that another one
 * of those that wait may start. The database decides; what is missing here costs time
 * only.
 */
public final class LimitPauses {

	/** Whoever waits for more keys than this leaves the rest to the sweep. */
	private static final int MOST_KEYS = 10_000;

	/** No clock is expected to show it. */
	private static final long NEVER = Long.MIN_VALUE;

	/** The limit may be raised meanwhile. */
	private static final Duration LONGEST = Duration.ofSeconds(1);

	private final LongSupplier nanoTime;

	private final Runnable onFreed;

	private final Map<Integer, Pause> pauses = new ConcurrentHashMap<>();

	/** When limits of which nothing was left may start the next job, unless raised. */
	private final Map<Integer, Long> spent = new ConcurrentHashMap<>();

	private final Set<LimitKey> freed = ConcurrentHashMap.newKeySet();

	private final AtomicLong nextDue = new AtomicLong(NEVER);

	private final AtomicBoolean moved = new AtomicBoolean();

	/**
	 * Begins without a pause, for whoever claims only.
	 * @param nanoTime the monotonic clock
	 */
	public LimitPauses(LongSupplier nanoTime) {
		this(nanoTime, () -> {
		});
	}

	/**
	 * Begins without a pause.
	 * @param nanoTime the monotonic clock
	 * @param onFreed is run when a key may have a place
	 */
	public LimitPauses(LongSupplier nanoTime, Runnable onFreed) {
		this.nanoTime = nanoTime;
		this.onFreed = onFreed;
	}

	/**
	 * As many jobs run as may, or somebody else claims at this moment.
	 * @param limitId the limit's number
	 * @param time when to ask again, unless a job ends here
	 */
	public void full(int limitId, Duration time) {
		pause(limitId, time, true);
	}

	/**
	 * As many jobs have started as may.
	 * @param limitId the limit's number
	 * @param time when the next may
	 */
	public void spent(int limitId, Duration time) {
		this.spent.put(limitId, this.nanoTime.getAsLong() + time.toNanos());
		pause(limitId, time, false);
	}

	private void pause(int limitId, Duration time, boolean untilFreed) {
		Duration most = (time.compareTo(LONGEST) < 0) ? time : LONGEST;
		this.pauses.put(limitId, new Pause(this.nanoTime.getAsLong() + most.toNanos(), untilFreed));
	}

	/**
	 * How long until a limit of which nothing was left may start the next job, if it
	 * stays as it is.
	 * @return the time of the first; null if there is none whose time has not come
	 */
	public @Nullable Duration untilNextStart() {
		long now = this.nanoTime.getAsLong();
		return this.spent.values()
			.stream()
			.map((at) -> Duration.ofNanos(at - now))
			.filter((left) -> !left.isNegative())
			.min(Duration::compareTo)
			.orElse(null);
	}

	/**
	 * Whether the worker is not to ask.
	 */
	public boolean isPaused(int limitId) {
		return limitId != 0 && left(limitId) > 0;
	}

	private long left(int limitId) {
		Pause pause = this.pauses.get(limitId);
		return (pause != null) ? pause.until() - this.nanoTime.getAsLong() : 0;
	}

	/**
	 * Ranges as they are due if limits are regarded. Each limit key has an allowance of
	 * its own, so jobs that have one do not wait for the shared one.
	 * @param ranges the ranges
	 * @return the same, some of them later
	 */
	public List<ReadyRange> regarded(List<ReadyRange> ranges) {
		if (this.pauses.isEmpty()) {
			return ranges;
		}
		this.pauses.keySet().removeIf((limit) -> left(limit) <= 0);
		return ranges.stream().map((range) -> {
			boolean shares = range.limitId() != 0 && !range.isOfLimitKeys();
			Duration left = Duration.ofNanos(shares ? left(range.limitId()) : 0);
			return (left.compareTo(range.dueIn()) > 0 && !left.isZero()) ? range.withDueIn(left) : range;
		}).toList();
	}

	/**
	 * A job has ended here, or does not run any more.
	 * @param job the job
	 */
	public void ended(ClaimedJob job) {
		int limit = job.range().limitId();
		if (limit != 0) {
			this.pauses.computeIfPresent(limit, (id, pause) -> pause.untilFreed() ? null : pause);
			String key = job.limitKey();
			if (key != null) {
				freed(new LimitKey(limit, key));
			}
		}
	}

	/**
	 * A key may have a place for a job that waits.
	 */
	public void freed(LimitKey key) {
		again(key);
		this.onFreed.run();
	}

	/**
	 * The same, but somebody sees to it some time later.
	 */
	public void again(LimitKey key) {
		if (this.freed.size() < MOST_KEYS) {
			this.freed.add(key);
		}
	}

	/**
	 * A job that waits for a limit key may start when some time has passed.
	 * @param after how long from now
	 */
	public void due(Duration after) {
		long at = this.nanoTime.getAsLong() + after.toNanos();
		if (this.nextDue.accumulateAndGet(at, LimitPauses::earlier) == at) {
			this.onFreed.run();
		}
	}

	private static long earlier(long one, long other) {
		return (one == NEVER || (other != NEVER && other - one < 0)) ? other : one;
	}

	/**
	 * How long until a job that waits may start, as far as this node knows.
	 * @return zero if the time has come; null if none waits for that
	 */
	public @Nullable Duration untilDue() {
		long at = this.nextDue.get();
		return (at != NEVER) ? Duration.ofNanos(Math.max(0, at - this.nanoTime.getAsLong())) : null;
	}

	/**
	 * Whether the time has come at which a job that waits may start; true once.
	 */
	public boolean takeDue() {
		long at = this.nextDue.get();
		return at != NEVER && at - this.nanoTime.getAsLong() <= 0 && this.nextDue.compareAndSet(at, NEVER);
	}

	/**
	 * A claim has moved jobs instead of taking them, so there may be more behind them.
	 */
	public void moved() {
		this.moved.set(true);
	}

	/**
	 * Whether a claim has moved any since this was asked last.
	 */
	public boolean takeMoved() {
		return this.moved.get() && this.moved.getAndSet(false);
	}

	/**
	 * The keys that may have one; each is told of once.
	 */
	public Collection<LimitKey> takeFreed() {
		if (this.freed.isEmpty()) {
			return Set.of();
		}
		Set<LimitKey> taken = new HashSet<>(this.freed);
		this.freed.removeAll(taken);
		return taken;
	}

	private record Pause(long until, boolean untilFreed) {

	}

}
