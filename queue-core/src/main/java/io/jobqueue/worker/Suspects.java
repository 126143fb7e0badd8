package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.jobqueue.poison.Company;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.ClaimPlan.Choice;

import org.jspecify.annotations.Nullable;

/**
 * When a worker turns to jobs that need an empty worker. One that holds nothing takes
 * them at once. Otherwise one node of the cluster, which has the quarantine, claims
 * nothing until it is empty.
 */
final class Suspects {

	private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

	/** Who runs long jobs leaves it to others to run empty. */
	private static final long MORE_PATIENCE_NANOS = Duration.ofSeconds(2).toNanos();

	/** How long a node stays empty for suspects of which it gets none. */
	private static final long FRUITLESS_NANOS = Duration.ofSeconds(3).toNanos();

	private static final long LEFT_ALONE_NANOS = Duration.ofSeconds(10).toNanos();

	private static final long SOLO_PAUSE_NANOS = Duration.ofMillis(500).toNanos();

	private final Quarantine quarantine;

	private final LongSupplier nanoTime;

	private final RandomGenerator random;

	/** Until when they may be left waiting. */
	private @Nullable Long patienceUntil;

	/** Until when they are left alone: this worker can run none of them for now. */
	private @Nullable Long aloneUntil;

	/** Until when others are tried rather than those that must run solo. */
	private @Nullable Long soloPauseUntil;

	/** Since when this node is empty for them, and gets none. */
	private @Nullable Long fruitlessSince;

	Suspects(Quarantine quarantine, LongSupplier nanoTime, RandomGenerator random) {
		this.quarantine = quarantine;
		this.nanoTime = nanoTime;
		this.random = random;
	}

	/**
	 * Chooses what to claim.
	 * @param due the ranges of jobs that need an empty worker, sorted
	 * @param nothingElse whether nothing else is due
	 * @param company what the worker holds
	 * @param lingering how much keeps the worker from getting empty
	 * @param oldest how long its oldest attempt has run
	 * @return the choice, or null to claim of what else is due
	 */
	@Nullable Choice choose(List<ReadyRange> due, boolean nothingElse, Company company, int lingering, Duration oldest) {
		if (company.isClosed()) {
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
		if (this.quarantine.isOver()) {
			giveUp();
		}
		boolean mayWait = !nothingElse || company.held() > 0;
		if (!this.quarantine.isOwn() && mayWait && isPatient(oldest)) {
			return null;
		}
		if (company.held() > 0) {
			return this.quarantine.enter() ? Choice.NOTHING : waitFor(PATIENCE_NANOS);
		}
		return ofEmptyWorker(due);
	}

	private @Nullable Choice ofEmptyWorker(List<ReadyRange> due) {
		List<ReadyRange> solo = due.stream().filter((range) -> range.degree() == Degree.SOLO).toList();
		List<ReadyRange> strong = due.stream().filter((range) -> range.degree() == Degree.STRONG).toList();
		if (!solo.isEmpty() && !isBefore(this.soloPauseUntil) && this.quarantine.enter()) {
			return new Choice(solo, 1);
		}
		if (!strong.isEmpty()) {
			return new Choice(strong, Integer.MAX_VALUE);
		}
		return this.quarantine.isOwn() ? Choice.NOTHING : waitFor(PATIENCE_NANOS);
	}

	private @Nullable Choice waitFor(long nanos) {
		this.patienceUntil = this.nanoTime.getAsLong() + nanos;
		return null;
	}

	private boolean isPatient(Duration oldest) {
		if (this.patienceUntil == null) {
			waitFor(PATIENCE_NANOS + Math.min(MORE_PATIENCE_NANOS, oldest.toNanos())
					+ this.random.nextLong(PATIENCE_NANOS));
		}
		return isBefore(this.patienceUntil);
	}

	private boolean isBefore(@Nullable Long until) {
		return until != null && this.nanoTime.getAsLong() - until < 0;
	}

	/**
	 * Notes what came of a choice.
	 * @param choice the choice, which was of these jobs
	 * @param claimed how many were claimed
	 */
	void note(Choice choice, int claimed) {
		long now = this.nanoTime.getAsLong();
		if (claimed > 0) {
			this.fruitlessSince = null;
			this.quarantine.used();
			if (!this.quarantine.isOwn()) {
				// Others have their turn afterwards.
				this.patienceUntil = null;
			}
			return;
		}
		if (choice.ranges().get(0).degree() == Degree.SOLO) {
			this.soloPauseUntil = now + SOLO_PAUSE_NANOS;
		}
		if (!this.quarantine.isOwn()) {
			this.aloneUntil = now + PATIENCE_NANOS;
		}
		else if (this.fruitlessSince == null) {
			this.fruitlessSince = now;
		}
		else if (now - this.fruitlessSince >= FRUITLESS_NANOS) {
			this.aloneUntil = now + LEFT_ALONE_NANOS;
			giveUp();
		}
	}

	private void giveUp() {
		this.patienceUntil = null;
		this.fruitlessSince = null;
		this.quarantine.leave();
	}

}
