package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.session.WorkerSession;

/**
 * The ranges that have ready jobs: read before each claim, except while claims follow
 * each other closely, and while reading takes long. It does where somebody has an old
 * snapshot open, since finished jobs then stay in the index; so it takes a share of the
 * time only. The same holds where the database is far away. Meanwhile a job that another
 * node has enqueued to a queue that had none may wait ten times as long as a read, two
 * seconds at most; those of this node are known.
 */
public final class KnownRanges {

	private static final long CLOSE_NANOS = Duration.ofMillis(50).toNanos();

	private static final long COSTLY_NANOS = Duration.ofMillis(20).toNanos();

	private static final int SHARE = 10;

	/** How long a job in a range that is new, or was empty, may wait for that. */
	private static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

	private final ClaimStore store;

	private final ServedRanges served;

	private final OwnTypes types;

	private final NewRanges enqueuedHere;

	private final Supplier<WorkerSession.Beats> beats;

	private final LongSupplier nanoTime;

	/** Used by the poll loop's thread only, as the rest. */
	private List<ReadyRange> ranges = List.of();

	private boolean ordersChanged;

	private boolean limitsDue;

	private long readAt;

	private long cost;

	private long costBefore;

	public KnownRanges(ClaimStore store, ServedRanges served, OwnTypes types, NewRanges enqueuedHere,
			Supplier<WorkerSession.Beats> beats, LongSupplier nanoTime) {
		this.store = store;
		this.types = types;
		this.enqueuedHere = enqueuedHere;
		this.beats = beats;
		this.served = served;
		this.nanoTime = nanoTime;
		this.readAt = nanoTime.getAsLong();
	}

	/**
	 * The ranges that the worker serves.
	 * @param hurry whether the last claim found all that it wanted
	 * @return the ranges, as they stand now
	 */
	List<ReadyRange> current(boolean hurry) {
		long now = this.nanoTime.getAsLong();
		if (now - this.readAt >= Math.max(hurry ? CLOSE_NANOS : 0, spared())) {
			read(now);
			return this.ranges;
		}
		Duration since = Duration.ofNanos(now - this.readAt);
		return withNew(this.ranges.stream().map((range) -> range.withDueIn(range.dueIn().minus(since))).toList());
	}

	/**
	 * Lets others know that this worker is there and what limits its types have, while it
	 * does not ask for ranges.
	 */
	void keepTypes() {
		this.types.keep();
	}

	/**
	 * Whether the last read has shown order keys that have changed; once for each read.
	 */
	boolean takeOrdersChanged() {
		boolean changed = this.ordersChanged;
		this.ordersChanged = false;
		return changed;
	}

	/**
	 * Whether the last read has shown that jobs which wait for limit keys may start; once
	 * for each read.
	 */
	boolean takeLimitsDue() {
		boolean due = this.limitsDue;
		this.limitsDue = false;
		return due;
	}

	private List<ReadyRange> withNew(List<ReadyRange> known) {
		Set<ReadyRange> noted = this.enqueuedHere.all().keySet();
		if (noted.isEmpty()) {
			return known;
		}
		Map<ReadyRange, ReadyRange> ranges = new LinkedHashMap<>();
		known.forEach((range) -> ranges.put(inOrder(range), range));
		noted.forEach((range) -> ranges.merge(range, range, (old, due) -> old.isDue() ? old : old.key()));
		return List.copyOf(ranges.values());
	}

	/** As it is noted where the order of its queue is not known. */
	private static ReadyRange inOrder(ReadyRange range) {
		return new ReadyRange(range.queue(), range.priority(), range.typeId(), range.degree(), false, Duration.ZERO);
	}

	private void read(long now) {
		Map<ReadyRange, Long> noted = this.enqueuedHere.all();
		try {
			this.ranges = this.served.of(readWithWrites());
			this.enqueuedHere.forget(noted);
		}
		finally {
			this.readAt = this.nanoTime.getAsLong();
			this.costBefore = this.cost;
			this.cost = this.readAt - now;
		}
	}

	/**
	 * Reads again, in a transaction, if the first read was of an old replica.
	 */
	private List<ReadyRange> readWithWrites() {
		WorkerSession.Beats sent = this.beats.get();
		ClaimStore.Ranges plain = this.store.ready(sent.session(), this.types.ids(), false);
		note(plain);
		if (plain.beats() >= sent.count() || sent.session() == 0) {
			return this.types.withKnownLimits(plain.ranges(), plain.unknownTypes());
		}
		ClaimStore.Ranges sure = this.store.ready(sent.session(), this.types.ids(), true);
		note(sure);
		// The session may have ended meanwhile, which nobody sees.
		if (sure.beats() > plain.beats()) {
			this.store.readInTransactions();
		}
		return this.types.withKnownLimits(sure.ranges(), sure.unknownTypes());
	}

	private void note(ClaimStore.Ranges read) {
		this.ordersChanged = read.ordersChanged();
		this.limitsDue = read.limitsDue();
	}

	/**
	 * One read that is slow has been held up by something else; two in a row are slow.
	 */
	private long spared() {
		long usual = Math.min(this.cost, this.costBefore);
		return (usual > COSTLY_NANOS) ? Math.min(LONGEST_NANOS, SHARE * usual) : 0;
	}

}
