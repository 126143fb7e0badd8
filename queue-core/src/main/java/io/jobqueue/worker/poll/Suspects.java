package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.jobqueue.poison.Load;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.text.Durations;
import io.jobqueue.worker.poll.ClaimPlan.Choice;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When a worker turns to jobs under strong suspicion, which need an empty worker and let
 * nothing else join. One node of the cluster at a time does so, which has the quarantine:
 * best one that holds nothing; otherwise one claims nothing until it does.
 */
final class Suspects {

	private static final Logger log = LoggerFactory.getLogger(Suspects.class);

	private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

	/**
	 * Who runs long jobs leaves it to others to run empty: 0.7 s for jobs of 5 s, 4 s for
	 * jobs of 10 h.
	 */
	private static final double MORE_PATIENCE = 0.4;

	/**
	 * How long a node runs empty before it lets others have a chance: at first, and then
	 * twice as long each time, so that it gets empty in the end.
	 */
	private static final long RUN_EMPTY_NANOS = Duration.ofMinutes(5).toNanos();

	/** How long a node stays empty for suspects of which it gets none. */
	private static final long FRUITLESS_NANOS = Duration.ofSeconds(3).toNanos();

	/** How long others have their turn. */
	private static final long LEFT_ALONE_NANOS = Duration.ofSeconds(10).toNanos();

	private final QuarantineTurn quarantine;

	private final LongSupplier nanoTime;

	private final RandomGenerator random;

	private long runEmptyNanos = RUN_EMPTY_NANOS;

	/** Until when they may be left waiting. */
	private @Nullable Long patienceUntil;

	/** Until when they are left alone. */
	private @Nullable Long aloneUntil;

	/** Since when this node is empty for them, and gets none. */
	private @Nullable Long fruitlessSince;

	Suspects(QuarantineTurn quarantine, LongSupplier nanoTime, RandomGenerator random) {
		this.quarantine = quarantine;
		this.nanoTime = nanoTime;
		this.random = random;
	}

	/**
	 * Chooses what to claim.
	 * @param due the ranges of jobs under strong suspicion, sorted
	 * @param nothingElse whether nothing else is due
	 * @param load what the worker holds
	 * @param lingering how much keeps the worker from getting empty
	 * @param oldest how long its oldest attempt has run
	 * @return the choice, or null to claim of what else is due
	 */
	@Nullable Choice choose(List<ReadyRange> due, boolean nothingElse, Load load, int lingering, Duration oldest) {
		if (load.isClosed()) {
			if (lingering > 0) {
				// What it holds may never end; others are to have the quarantine.
				this.quarantine.leave();
			}
			return Choice.NOTHING;
		}
		if (!this.quarantine.isOwn()) {
			this.quarantine.leave();
		}
		if (due.isEmpty() || lingering > 0 || isBefore(this.aloneUntil)) {
			giveUp();
			return null;
		}
		if (this.quarantine.isOver() && !nothingElse) {
			return leaveAlone(LEFT_ALONE_NANOS);
		}
		boolean mayWait = !nothingElse || load.held() > 0;
		if (!this.quarantine.isOwn() && mayWait && isPatient(oldest)) {
			return null;
		}
		if (load.held() > 0 && giveUpAfterLong()) {
			return null;
		}
		boolean hadIt = this.quarantine.isOwn();
		if (!this.quarantine.enter()) {
			beginPatience(oldest);
			return null;
		}
		if (load.held() == 0) {
			return new Choice(due, Integer.MAX_VALUE);
		}
		if (!hadIt) {
			log.info(
					"The worker claims nothing until the {} job(s) that it holds have ended: jobs whose workers died "
							+ "twice or more, as in queue {}, wait for an empty worker",
					load.held(), due.get(0).queue());
		}
		return Choice.NOTHING;
	}

	/**
	 * Notes that the worker has no room to claim anything.
	 * @param lingering how much keeps it from getting empty
	 */
	void noteNoRoom(int lingering) {
		if (lingering > 0) {
			giveUp();
		}
		else {
			giveUpAfterLong();
		}
	}

	/**
	 * Lets others have their chance if this node has not got empty for long.
	 * @return whether it gives up
	 */
	private boolean giveUpAfterLong() {
		if (this.quarantine.unusedNanos() <= this.runEmptyNanos) {
			return false;
		}
		log.info("The worker still held jobs after {}. It claims jobs again, and will try to get empty later",
				Durations.text(Duration.ofNanos(this.runEmptyNanos)));
		this.runEmptyNanos *= 2;
		leaveAlone(LEFT_ALONE_NANOS);
		return true;
	}

	private boolean isPatient(Duration oldest) {
		if (this.patienceUntil == null) {
			beginPatience(oldest);
		}
		return isBefore(this.patienceUntil);
	}

	private void beginPatience(Duration oldest) {
		double more = MORE_PATIENCE * Math.log1p(oldest.toMillis() / 1e3);
		this.patienceUntil = this.nanoTime.getAsLong() + PATIENCE_NANOS + this.random.nextLong(PATIENCE_NANOS)
				+ (long) (more * 1e9);
	}

	private boolean isBefore(@Nullable Long until) {
		return until != null && this.nanoTime.getAsLong() - until < 0;
	}

	/**
	 * Notes how many were claimed.
	 */
	void note(int claimed) {
		long now = this.nanoTime.getAsLong();
		if (claimed > 0) {
			this.fruitlessSince = null;
			this.runEmptyNanos = RUN_EMPTY_NANOS;
			this.quarantine.used();
		}
		else if (this.fruitlessSince == null) {
			this.fruitlessSince = now;
		}
		else if (now - this.fruitlessSince >= FRUITLESS_NANOS) {
			leaveAlone(LEFT_ALONE_NANOS);
		}
	}

	private @Nullable Choice leaveAlone(long nanos) {
		this.aloneUntil = this.nanoTime.getAsLong() + nanos;
		giveUp();
		return null;
	}

	/**
	 * Gives up running empty, if this node does.
	 */
	void giveUp() {
		this.patienceUntil = null;
		this.fruitlessSince = null;
		this.quarantine.leave();
	}

}
