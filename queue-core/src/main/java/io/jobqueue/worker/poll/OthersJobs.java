package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.ReadyRange;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sorts out jobs that this worker has no handler for, where they have stood in its way
 * for some seconds: of a type that was retired, that only newer nodes know, or whose
 * workers have a backlog. They wait in ranges of their own then, and cost this worker
 * nothing.
 */
public final class OthersJobs implements RangeChore {

	private static final Logger log = LoggerFactory.getLogger(OthersJobs.class);

	/** Whoever is quick runs its jobs before that. */
	private static final Duration AGE = Duration.ofSeconds(5);

	private static final int BATCH = 500;

	/**
	 * How long one round may take, since it keeps the poll loop from claiming: as long as
	 * the claims since the last one. A claim that reads over all jobs that stand in its
	 * way takes long, and goes on to do so until they are sorted out; one that does not
	 * brings jobs that want to run.
	 */
	private static final long LONGEST_ROUND = Duration.ofSeconds(1).toNanos();

	/** How long it may take after a claim that has found nothing. */
	private static final long IDLE_ROUND = Duration.ofMillis(50).toNanos();

	/** How long to leave a range alone that had nothing to be sorted out. */
	private static final long LEAVE_NANOS = Duration.ofSeconds(1).toNanos();

	private final ClaimStore store;

	private final OwnTypes types;

	private final LongSupplier nanoTime;

	/** Used by the poll loop's thread only. */
	private final Map<ReadyRange, Long> lookedAt = new HashMap<>();

	/** How long claims took since the last round; less than zero if that took longer. */
	private long left;

	public OthersJobs(ClaimStore store, OwnTypes types, LongSupplier nanoTime) {
		this.store = store;
		this.types = types;
		this.nanoTime = nanoTime;
	}

	@Override
	public Duration run(List<ReadyRange> ranges, LastClaim claim) {
		this.left = Math.min(LONGEST_ROUND, this.left + claim.took().toNanos());
		if (!claim.found()) {
			this.left = Math.max(this.left, IDLE_ROUND);
		}
		if (this.left <= 0) {
			return WHENEVER;
		}
		long start = this.nanoTime.getAsLong();
		boolean more = sortOut(ranges, this.left);
		this.left -= this.nanoTime.getAsLong() - start;
		return (more && !claim.found()) ? Duration.ZERO : WHENEVER;
	}

	private boolean sortOut(List<ReadyRange> ranges, long mostNanos) {
		long start = this.nanoTime.getAsLong();
		this.lookedAt.values().removeIf((looked) -> start - looked > LEAVE_NANOS);
		List<ReadyRange> old = ranges.stream()
			.filter((range) -> range.isOfAnyType() && range.dueIn().negated().compareTo(AGE) > 0)
			.filter((range) -> !this.lookedAt.containsKey(range.key()))
			.sorted(Comparator.comparing(ReadyRange::dueIn))
			.toList();
		for (ReadyRange range : old) {
			do {
				if (this.nanoTime.getAsLong() - start > mostNanos) {
					return true;
				}
			}
			while (sortOut(range, start));
		}
		return old.stream().anyMatch((range) -> !this.lookedAt.containsKey(range.key()));
	}

	private boolean sortOut(ReadyRange range, long start) {
		Set<String> others = this.store.sortOut(range, this.types.names(), AGE, BATCH);
		if (others.isEmpty()) {
			this.lookedAt.put(range.key(), start);
			return false;
		}
		log.debug("Jobs of the types {} in queue '{}' are left to workers that have handlers for them", others,
				range.queue());
		return true;
	}

}
