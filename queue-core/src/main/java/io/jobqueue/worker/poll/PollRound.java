package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.QueueShares;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.attempt.ClaimAhead;

/**
 * One round of polling: reads what is ready, plans what to claim of it, and claims it.
 */
public final class PollRound {

	private static final Duration FULL = Duration.ofSeconds(1);

	private static final Duration NO_SESSION = Duration.ofMillis(100);

	private final WorkerLoad load;

	private final KeyLoop keys;

	private final KnownRanges ranges;

	private final ClaimAhead ahead;

	private final ClaimPlan plan;

	private final Claimer claimer;

	private final List<RangeChore> chores;

	private final Settings settings;

	private boolean hurry;

	/** The claim of this round. */
	private RangeChore.LastClaim claimed = RangeChore.LastClaim.NONE;

	/** Whether the last round has done what it is for. */
	private boolean done;

	public PollRound(WorkerLoad load, Source source, ClaimPlan plan, Claimer claimer, List<RangeChore> chores,
			Settings settings) {
		this.load = load;
		this.keys = source.keys();
		this.ranges = source.ranges();
		this.ahead = source.ahead();
		this.plan = plan;
		this.claimer = claimer;
		this.chores = chores;
		this.settings = settings;
	}

	/**
	 * Does one round.
	 * @return how long to wait for the next
	 */
	public Duration poll() {
		this.done = false;
		this.ahead.othersMayBeDue();
		if (!this.claimer.mayClaim()) {
			return NO_SESSION;
		}
		WorkerLoad.Snapshot now = this.load.now();
		if (now.room() == 0) {
			this.ranges.keepTypes();
			this.done = true;
			this.plan.noteNoRoom(now.lingering());
			return FULL;
		}
		List<ReadyRange> ready = this.ranges.current(this.hurry);
		this.hurry = false;
		this.keys.noted(this.ranges.takeOrdersChanged(), this.ranges.takeLimitsDue());
		this.claimed = RangeChore.LastClaim.NONE;
		Duration next = claim(this.keys.regarded(ready), now);
		for (RangeChore chore : this.chores) {
			Duration most = chore.run(ready, this.claimed);
			next = (most.compareTo(next) < 0) ? most : next;
		}
		this.done = true;
		return next;
	}

	/**
	 * Whether the last round has done what it is for: asked the database, or found that
	 * there is no room. Without a session it does nothing.
	 */
	boolean wasDone() {
		return this.done;
	}

	private Duration claim(List<ReadyRange> ready, WorkerLoad.Snapshot now) {
		PollDelay delay = this.settings.delay();
		Load held = this.load.load(now);
		ClaimPlan.Choice choice = this.plan.choose(this.load.withRoom(ready), held, now.lingering(),
				this.load.oldest());
		if (choice.ranges().isEmpty()) {
			claimAhead(now, held, ready.stream().noneMatch(ReadyRange::isDue));
			Duration next = delay.nothingDue(ready);
			return (ready.stream().anyMatch(ReadyRange::isDue) && next.compareTo(FULL) > 0) ? FULL : next;
		}
		int most = Math.min(Math.min(now.room(), choice.most()), this.settings.most());
		QueueShares shares = this.load.shares();
		long before = this.settings.nanoTime().getAsLong();
		List<ClaimedJob> jobs = this.claimer.claim(choice, most, held);
		long took = this.settings.nanoTime().getAsLong() - before;
		boolean moved = this.keys.takeMoved();
		this.load.claimed(jobs.size(), took);
		this.claimed = new RangeChore.LastClaim(Duration.ofNanos(took), !jobs.isEmpty());
		claimAhead(now, held, jobs.size() < most && !moved
				&& ready.stream().noneMatch((range) -> range.isDue() && range.isSuspect()));
		this.plan.note(choice, jobs, jobs.size() < most && !moved, shares.beside(jobs).full(), took);
		if (jobs.isEmpty() && moved) {
			return Duration.ZERO;
		}
		if (jobs.isEmpty()) {
			// The claim may have found out when a limit is to be asked for again.
			return delay.nothingDue(this.keys.regarded(ready));
		}
		delay.reset();
		this.hurry = jobs.size() >= most;
		return (jobs.size() >= most) ? Duration.ZERO : PollDelay.SHORTEST;
	}

	/**
	 * Lets next jobs of order keys be claimed with the ends of those before.
	 * @param nothingIsDue whether they pass over nobody
	 */
	private void claimAhead(WorkerLoad.Snapshot now, Load held, boolean nothingIsDue) {
		// Beside suspects a worker holds few others.
		if (nothingIsDue && held.heldLimit() == Suspicion.NO_LIMIT) {
			this.ahead.nothingIsDue(now.mostToRun());
		}
	}

	/**
	 * Notes that somebody has woken the loop: there may be something to do.
	 */
	void wokenUp() {
		this.settings.delay().reset();
	}

	/**
	 * Notes that there will be no more rounds.
	 */
	void stopped() {
		this.plan.giveUpRunningEmpty();
	}

	/**
	 * Where jobs are found.
	 *
	 * @param keys sees to keys, whose next jobs become ready so
	 * @param ranges the ready jobs
	 * @param ahead is told whether there is anything else than next jobs of order keys
	 */
	public record Source(KeyLoop keys, KnownRanges ranges, ClaimAhead ahead) {

	}

	/**
	 * How rounds follow each other.
	 *
	 * @param most how many jobs one claim takes at most
	 * @param delay how long to wait when there was nothing
	 * @param nanoTime the monotonic clock
	 */
	public record Settings(int most, PollDelay delay, LongSupplier nanoTime) {

	}

}
