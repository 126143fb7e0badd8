package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.RowLocks;

/**
 * Looks for jobs of row-lock queues whose workers' connections are lost, as long as there
 * are ready jobs in such a queue: the lost ones are among these.
 */
public final class LostJobs implements RangeChore {

	/** A job is to run again within a second after its connection was closed. */
	private static final Duration INTERVAL = Duration.ofMillis(250);

	private final RowLocks rowLocks;

	private final LongSupplier nanoTime;

	/** Used by the poll loop's thread only. */
	private long lastNanos;

	public LostJobs(RowLocks rowLocks, LongSupplier nanoTime) {
		this.rowLocks = rowLocks;
		this.nanoTime = nanoTime;
		this.lastNanos = nanoTime.getAsLong() - INTERVAL.toNanos();
	}

	@Override
	public Duration run(List<ReadyRange> ranges, LastClaim claim) {
		if (ranges.stream().noneMatch((range) -> range.isRowLock() && range.isDue())) {
			return WHENEVER;
		}
		long now = this.nanoTime.getAsLong();
		if (now - this.lastNanos < INTERVAL.toNanos()) {
			return INTERVAL;
		}
		this.lastNanos = now;
		return (this.rowLocks.freeLost() > 0) ? Duration.ZERO : INTERVAL;
	}

}
