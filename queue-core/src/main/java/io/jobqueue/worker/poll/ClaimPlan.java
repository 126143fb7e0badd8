package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

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

	private final Turns turns;

	private @Nullable Long pauseUntil;

	private long pauseNanos = FIRST_PAUSE_NANOS;

	/**
	 * Begins to plan.
	 * @param nanoTime the monotonic clock
	 * @param random makes nodes differ
	 * @param quarantine the turn of the nodes that run empty for suspects
	 * @param weights how many times the usual share a queue gets, by name
	 */
	public ClaimPlan(LongSupplier nanoTime, RandomGenerator random, QuarantineTurn quarantine,
			Map<String, Integer> weights) {
		this.nanoTime = nanoTime;
		this.turns = new Turns(weights);
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
		this.turns.retain(ranges);
		List<ReadyRange> due = ranges.stream()
			.filter(ReadyRange::isDue)
			.filter((range) -> !this.barrenUntil.containsKey(range.key()))
			.toList();
		List<ReadyRange> others = due.stream().filter((range) -> range.degree() != Degree.STRONG).toList();
		List<ReadyRange> strong = due.stream().filter((range) -> range.degree() == Degree.STRONG).toList();
		Choice choice = this.suspects.choose(this.turns.inTurn(strong), others.isEmpty(), load, lingering, oldest);
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

	private List<ReadyRange> inTurn(List<ReadyRange> due) {
		// Those that are to be claimed from, and no others: who waits for a turn that
		// does not come must not keep the others' account from moving on.
		this.turns.due(due);
		return this.turns.inTurn(due);
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
	 * Notes what came of a claim: who has had a turn, and which ranges had nothing for
	 * this worker in spite of being due. All of their jobs are read each time, so such a
	 * range is left alone for twenty times as long as that took, two seconds at most.
	 * @param choice what was asked for
	 * @param claimed the jobs that were claimed, in the order of the ranges
	 * @param allAsked whether each range was looked at, but for those of full queues
	 * @param full queues whose own slots were all taken by the claim, so that some of
	 * their ranges may not have been looked at
	 * @param took how long that took, in nanoseconds
	 */
	void note(Choice choice, List<ClaimedJob> claimed, boolean allAsked, Set<String> full, long took) {
		Set<ReadyRange> fruitful = new HashSet<>();
		for (ClaimedJob job : claimed) {
			this.turns.note(job);
			fruitful.add(job.range().key());
		}
		if (this.turns.areWeighted()) {
			noteWithoutJobs(choice, claimed);
		}
		if (choice.isForEmptyWorker()) {
			this.suspects.note(claimed.size());
			return;
		}
		long now = this.nanoTime.getAsLong();
		if (fruitful.stream().anyMatch(ReadyRange::isSuspect)) {
			this.pauseNanos = FIRST_PAUSE_NANOS;
		}
		else if (choice.ranges().stream().anyMatch((range) -> range.isSuspect() && !full.contains(range.queue()))) {
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
				// A limit says itself when to ask again.
				.filter((range) -> range.limitId() == 0 && !full.contains(range.queue()) && !fruitful.contains(range))
				.forEach((range) -> this.barrenUntil.put(range, until));
		}
	}

	/**
	 * Notes which queues were asked and had no jobs: those that come before one which had
	 * some, among the queues of its priority.
	 */
	private void noteWithoutJobs(Choice choice, List<ClaimedJob> claimed) {
		Map<Integer, Set<String>> had = new HashMap<>();
		claimed.forEach((job) -> had.computeIfAbsent(job.range().priority(), (key) -> new HashSet<>())
			.add(job.range().queue()));
		had.forEach((priority, queues) -> {
			List<String> asked = choice.ranges()
				.stream()
				.filter((range) -> range.priority() == priority)
				.map(ReadyRange::queue)
				.toList();
			int last = queues.stream().mapToInt(asked::lastIndexOf).max().orElse(0);
			Set<String> without = new HashSet<>(asked.subList(0, Math.max(last, 0)));
			without.removeAll(queues);
			this.turns.noteNone(priority, without, queues);
		});
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
