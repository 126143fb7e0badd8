package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import io.jobqueue.poison.Company;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;

/**
 * Which ranges to claim from next, and how many jobs at most. The highest priority comes
 * first; queues of one priority take turns.
 * <p>
 * Jobs under first suspicion are claimed among others, as long as the worker holds few.
 * Those under strong suspicion need a worker that holds nothing. One that happens to hold
 * nothing takes them at once; otherwise one node of the cluster, which has the
 * quarantine, claims nothing until it does.
 */
final class ClaimPlan {

	private static final Comparator<ReadyRange> BY_QUEUE = Comparator.comparing(ReadyRange::queue)
		.thenComparing(ReadyRange::dueIn);

	private static final Suspicion FIRST = new Suspicion(1, 0);

	private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

	/** Who runs long jobs leaves it to others to run empty. */
	private static final long MORE_PATIENCE_NANOS = Duration.ofSeconds(2).toNanos();

	/** How long one node may have the quarantine while others may want it. */
	private static final long QUARANTINE_NANOS = Duration.ofSeconds(30).toNanos();

	private static final long LEAVE_NANOS = Duration.ofSeconds(10).toNanos();

	private static final long BARREN_NANOS = Duration.ofSeconds(2).toNanos();

	private static final int BARREN_SHARE = 20;

	private final LongSupplier nanoTime;

	private final RandomGenerator random;

	private final Quarantine quarantine;

	/** Ranges that are left alone, because only jobs for others were found in them. */
	private final Map<ReadyRange, Long> barrenUntil = new HashMap<>();

	/** The queue that had the last turn, by priority. */
	private final Map<Integer, String> lastTurn = new HashMap<>();

	/** Whether jobs under strong suspicion were claimed, which nothing may join. */
	private boolean closed;

	/** Until when jobs under strong suspicion may be left waiting; zero if none wait. */
	private long patienceUntil;

	private boolean quarantined;

	private long quarantinedAt;

	ClaimPlan(LongSupplier nanoTime, RandomGenerator random, Quarantine quarantine) {
		this.nanoTime = nanoTime;
		this.random = random;
		this.quarantine = quarantine;
	}

	/**
	 * Whether this node has the quarantine.
	 */
	boolean isQuarantined() {
		return this.quarantined;
	}

	/**
	 * Chooses the ranges.
	 * @param ranges those that the worker serves
	 * @param company what it holds
	 * @param lingering how many results cannot be committed, and how many slots are lost
	 * to handlers that were given up: with these it does not get empty
	 * @param oldest how long its oldest attempt has run
	 * @return what to claim
	 */
	Choice choose(List<ReadyRange> ranges, Company company, int lingering, Duration oldest) {
		// Jobs that have run and wait for their results to be committed are company too:
		// should another job crash the worker then, they would be convicted of it.
		if (this.closed && company.held() > 0) {
			return Choice.NOTHING;
		}
		this.closed = false;
		long now = this.nanoTime.getAsLong();
		this.barrenUntil.values().removeIf((until) -> now - until >= 0);
		List<ReadyRange> due = ranges.stream()
			.filter(ReadyRange::isDue)
			.filter((range) -> !this.barrenUntil.containsKey(keyOf(range)))
			.toList();
		List<ReadyRange> strong = inTurn(due, Degree.STRONG);
		List<ReadyRange> first = inTurn(due, Degree.FIRST);
		List<ReadyRange> others = inTurn(due, Degree.NONE);
		if (strong.isEmpty()) {
			this.patienceUntil = 0;
			leaveQuarantine();
		}
		else if (isTimeFor(first.isEmpty() && others.isEmpty(), now, oldest)) {
			if (company.held() == 0 && lingering == 0) {
				this.closed = true;
				return new Choice(strong, Integer.MAX_VALUE);
			}
			if (lingering > 0) {
				leaveSuspects();
			}
			else if (enterQuarantine(now)) {
				return Choice.NOTHING;
			}
		}
		return amongOthers(first, others, company, lingering);
	}

	private boolean isTimeFor(boolean nothingElse, long now, Duration oldest) {
		if (this.patienceUntil == 0) {
			long more = Math.min(MORE_PATIENCE_NANOS, oldest.toNanos());
			this.patienceUntil = now + PATIENCE_NANOS + more + this.random.nextLong(PATIENCE_NANOS);
		}
		return this.quarantined || nothingElse || now - this.patienceUntil >= 0;
	}

	private Choice amongOthers(List<ReadyRange> first, List<ReadyRange> others, Company company, int lingering) {
		int most = (company.limit() == Suspicion.ANY_COMPANY) ? Integer.MAX_VALUE : company.limit() - company.held();
		int firstLimit = FIRST.company(company.slots());
		if (!first.isEmpty() && lingering < firstLimit) {
			List<ReadyRange> both = new ArrayList<>(first);
			both.addAll(others);
			// With too many held, it claims nothing until it holds less.
			return Choice.of(both, Math.min(most, firstLimit - company.held()));
		}
		return Choice.of(others, most);
	}

	private boolean enterQuarantine(long now) {
		if (!this.quarantined && this.quarantine.enter()) {
			this.quarantined = true;
			this.quarantinedAt = now;
		}
		if (!this.quarantined) {
			this.patienceUntil = now + PATIENCE_NANOS;
		}
		return this.quarantined;
	}

	private void leaveQuarantine() {
		if (this.quarantined) {
			this.quarantined = false;
			this.quarantine.leave();
		}
	}

	private List<ReadyRange> inTurn(List<ReadyRange> due, Degree degree) {
		return inTurn(due.stream().filter((range) -> range.degree() == degree).toList());
	}

	/**
	 * Sorts by priority; within one, by the queues' names, beginning behind the one that
	 * had the last turn.
	 */
	private List<ReadyRange> inTurn(List<ReadyRange> due) {
		NavigableMap<Integer, List<ReadyRange>> byPriority = new TreeMap<>();
		due.forEach((range) -> byPriority.computeIfAbsent(range.priority(), (key) -> new ArrayList<>()).add(range));
		List<ReadyRange> sorted = new ArrayList<>(due.size());
		byPriority.descendingMap().forEach((priority, equal) -> {
			equal.sort(BY_QUEUE);
			String last = this.lastTurn.get(priority);
			if (last != null) {
				long first = equal.stream().filter((range) -> range.queue().compareTo(last) <= 0).count();
				Collections.rotate(equal, -(int) first);
			}
			sorted.addAll(equal);
		});
		return sorted;
	}

	/**
	 * Notes what came of a claim: who has had a turn, and which ranges had nothing for
	 * this worker in spite of being due. All of their jobs are read each time, so such a
	 * range is left alone for twenty times as long as that took, two seconds at most.
	 * @param asked the ranges
	 * @param claimed the jobs that were claimed, in the order of the ranges
	 * @param allAsked whether each range was looked at
	 * @param took how long that took, in nanoseconds
	 */
	void note(List<ReadyRange> asked, List<ClaimedJob> claimed, boolean allAsked, long took) {
		if (!claimed.isEmpty()) {
			String last = claimed.get(claimed.size() - 1).queue();
			asked.stream()
				.filter((range) -> range.queue().equals(last))
				.map(ReadyRange::priority)
				.min(Comparator.naturalOrder())
				.ifPresent((priority) -> this.lastTurn.put(priority, last));
		}
		if (allAsked) {
			long until = this.nanoTime.getAsLong() + Math.min(BARREN_NANOS, BARREN_SHARE * took);
			Set<String> fruitful = claimed.stream().map(ClaimedJob::queue).collect(Collectors.toSet());
			asked.stream()
				.filter((range) -> !fruitful.contains(range.queue()))
				.forEach((range) -> this.barrenUntil.put(keyOf(range), until));
		}
	}

	private static ReadyRange keyOf(ReadyRange range) {
		return range.withDueIn(Duration.ZERO);
	}

	/**
	 * Notes that nothing could be claimed of the jobs under strong suspicion, though they
	 * are due. Some may run in the quarantine only.
	 */
	void noteNoneTaken() {
		this.closed = false;
		if (this.quarantined || !enterQuarantine(this.nanoTime.getAsLong())) {
			leaveSuspects();
		}
	}

	/**
	 * Notes that some were taken. Others have their turn afterwards, unless this node has
	 * the quarantine for some time yet.
	 */
	void noteTaken() {
		if (!this.quarantined || this.nanoTime.getAsLong() - this.quarantinedAt > QUARANTINE_NANOS) {
			this.patienceUntil = 0;
			leaveQuarantine();
		}
	}

	/**
	 * Leaves jobs under strong suspicion alone for a while: there were none that this
	 * worker can run, or it could not get empty for them.
	 */
	private void leaveSuspects() {
		this.patienceUntil = this.nanoTime.getAsLong() + LEAVE_NANOS;
		leaveQuarantine();
	}

	/**
	 * What to claim.
	 *
	 * @param ranges the ranges, the most urgent first; empty if nothing is to be claimed
	 * @param most how many jobs at most
	 */
	record Choice(List<ReadyRange> ranges, int most) {

		static final Choice NOTHING = new Choice(List.of(), 0);

		static Choice of(List<ReadyRange> ranges, int most) {
			return (most > 0) ? new Choice(ranges, most) : NOTHING;
		}

		boolean isOfSuspects() {
			return !this.ranges.isEmpty() && this.ranges.get(0).degree() == Degree.STRONG;
		}

	}

	/**
	 * The quarantine of the cluster.
	 */
	interface Quarantine {

		/**
		 * Asks for it.
		 * @return whether this node has it now
		 */
		boolean enter();

		/**
		 * Gives it back.
		 */
		void leave();

	}

}
