package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;

import org.jspecify.annotations.Nullable;

/**
 * Which ranges to claim from next, and how many jobs at most. The highest priority comes
 * first; queues of one priority take turns.
 * <p>
 * Suspects are claimed among others, as long as the worker holds few; those under strong
 * suspicion are not ({@link Suspects}).
 */
public final class ClaimPlan {

	private static final long BARREN_NANOS = Duration.ofSeconds(2).toNanos();

	private static final int BARREN_SHARE = 20;

	/**
	 * A worker holds few jobs for the sake of suspects. If it got none of them then, it
	 * does so again a second later, then two, then four.
	 */
	private static final long FIRST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(4).toNanos();

	private final LongSupplier nanoTime;

	private final Suspects suspects;

	/** Ranges that are left alone, because only jobs for others were found in them. */
	private final Map<ReadyRange, Long> barrenUntil = new HashMap<>();

	/** The queue that had the last turn, by priority. */
	private final Map<Integer, String> lastTurn = new HashMap<>();

	/** When ranges of last-in-first-out queues had their last turns, counted in turns. */
	private final Map<ReadyRange, Long> lifoTurns = new HashMap<>();

	/**
	 * Of the ranges of one queue that with the oldest job comes first. Where the newest
	 * job comes first the oldest one stays, so there ranges take turns.
	 */
	private final Comparator<ReadyRange> byQueue = Comparator.comparing(ReadyRange::queue)
		.thenComparing((range) -> this.lifoTurns.getOrDefault(range.key(), 0L))
		.thenComparing(ReadyRange::dueIn);

	private long turns;

	private @Nullable Long pauseUntil;

	private long pauseNanos = FIRST_PAUSE_NANOS;

	public ClaimPlan(LongSupplier nanoTime, RandomGenerator random, QuarantineTurn quarantine) {
		this.nanoTime = nanoTime;
		this.suspects = new Suspects(quarantine, nanoTime, random);
	}

	/**
	 * Chooses the ranges.
	 * @param ranges those that the worker serves
	 * @param load what it holds
	 * @param lingering how many results cannot be committed, and how many slots are lost
	 * to handlers that were given up: with these it does not get empty
	 * @param oldest how long its oldest attempt has run
	 * @return what to claim
	 */
	Choice choose(List<ReadyRange> ranges, Load load, int lingering, Duration oldest) {
		long now = this.nanoTime.getAsLong();
		this.barrenUntil.values().removeIf((until) -> now - until >= 0);
		if (!this.lifoTurns.isEmpty()) {
			this.lifoTurns.keySet().retainAll(ranges.stream().map(ReadyRange::key).collect(Collectors.toSet()));
		}
		List<ReadyRange> due = ranges.stream()
			.filter(ReadyRange::isDue)
			.filter((range) -> !this.barrenUntil.containsKey(range.key()))
			.toList();
		List<ReadyRange> others = due.stream().filter((range) -> range.degree() != Degree.STRONG).toList();
		List<ReadyRange> strong = due.stream().filter((range) -> range.degree() == Degree.STRONG).toList();
		Choice choice = this.suspects.choose(inTurn(strong), others.isEmpty(), load, lingering, oldest);
		return (choice != null) ? choice : amongOthers(others, load, lingering, now);
	}

	private Choice amongOthers(List<ReadyRange> due, Load load, int lingering, long now) {
		int few = Suspicion.firstHeldLimit(load.slots());
		boolean paused = this.pauseUntil != null && now - this.pauseUntil < 0;
		if (due.stream().noneMatch(ReadyRange::isSuspect) || lingering >= few || paused) {
			return Choice.of(inTurn(due.stream().filter((range) -> !range.isSuspect()).toList()), load.room());
		}
		// With more than a few held, it claims nothing until it holds less.
		return Choice.of(inTurn(due), Math.min(load.room(), few - load.held()));
	}

	/**
	 * Notes that there is no room to claim anything.
	 * @param lingering as for a choice
	 */
	void noteNoRoom(int lingering) {
		this.suspects.noteNoRoom(lingering);
	}

	/**
	 * Gives up running empty for suspects, because the worker stops.
	 */
	void giveUpRunningEmpty() {
		this.suspects.giveUp();
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
			equal.sort(this.byQueue);
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
	 * @param choice what was asked for
	 * @param claimed the jobs that were claimed, in the order of the ranges
	 * @param allAsked whether each range was looked at
	 * @param took how long that took, in nanoseconds
	 */
	void note(Choice choice, List<ClaimedJob> claimed, boolean allAsked, long took) {
		Set<ReadyRange> fruitful = new HashSet<>();
		for (ClaimedJob job : claimed) {
			this.lastTurn.put(job.range().priority(), job.range().queue());
			if (job.range().lifo()) {
				this.lifoTurns.put(job.range().key(), ++this.turns);
			}
			fruitful.add(job.range().key());
		}
		if (choice.isForEmptyWorker()) {
			this.suspects.note(claimed.size());
			return;
		}
		long now = this.nanoTime.getAsLong();
		if (fruitful.stream().anyMatch(ReadyRange::isSuspect)) {
			this.pauseNanos = FIRST_PAUSE_NANOS;
		}
		else if (choice.ranges().stream().anyMatch(ReadyRange::isSuspect)) {
			this.pauseUntil = now + this.pauseNanos;
			this.pauseNanos = Math.min(2 * this.pauseNanos, LONGEST_PAUSE_NANOS);
		}
		boolean anyLimited = choice.ranges().stream().anyMatch((range) -> range.degree() == Degree.LIMITED);
		// Limited jobs that may not start may have taken the places of others.
		if (allAsked && !anyLimited) {
			long until = now + Math.min(BARREN_NANOS, BARREN_SHARE * took);
			choice.ranges()
				.stream()
				.map(ReadyRange::key)
				.filter((range) -> !fruitful.contains(range))
				.forEach((range) -> this.barrenUntil.put(range, until));
		}
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

		private boolean isForEmptyWorker() {
			return !this.ranges.isEmpty() && this.ranges.get(0).degree() == Degree.STRONG;
		}

	}

}
