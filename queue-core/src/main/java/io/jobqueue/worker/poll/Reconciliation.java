package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.ClaimAhead;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.InterruptReason;
import io.jobqueue.worker.session.WorkerSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares what the session holds in the table with what the worker holds in memory, once
 * each heartbeat interval, less often while there is nothing on either side. A job that
 * is only in the table, left by a claim whose commit was lost, is given back. An attempt
 * that is only in memory was cancelled or rescued, and is interrupted. Runs on the poll
 * loop's thread, and gives nothing back while next jobs of order keys are claimed, so
 * that no claim is under way meanwhile.
 */
public final class Reconciliation {

	private static final Logger log = LoggerFactory.getLogger(Reconciliation.class);

	private final Tables tables;

	/** A claim takes milliseconds, unless it waits for somebody's locks. */
	private static final Duration PATIENCE = Duration.ofMillis(100);

	/**
	 * How often a worker that holds nothing compares as before, and how many intervals it
	 * waits then. A commit whose answer was lost may come late, or be seen late.
	 */
	private static final int IDLE = 12;

	private final HeldAttempts held;

	private final ClaimAhead ahead;

	private final WorkerSession session;

	private final Duration interval;

	private final LongSupplier nanoTime;

	private long lastNanos;

	/** How many comparisons have found that nothing was held. */
	private int emptyRounds;

	public Reconciliation(Tables tables, HeldAttempts held, ClaimAhead ahead, WorkerSession session, Duration interval,
			LongSupplier nanoTime) {
		this.tables = tables;
		this.held = held;
		this.ahead = ahead;
		this.session = session;
		this.interval = interval;
		this.nanoTime = nanoTime;
		this.lastNanos = nanoTime.getAsLong();
	}

	/**
	 * Asks for a comparison as soon as possible.
	 */
	void request() {
		this.held.requestComparison();
	}

	/**
	 * Compares, if it is time to or somebody has asked for it.
	 */
	void runIfDue() {
		if (!this.session.isCurrent()) {
			return;
		}
		if (this.held.size() > 0) {
			this.emptyRounds = 0;
		}
		long wait = this.interval.toNanos() * ((this.emptyRounds < IDLE) ? 1 : IDLE);
		long now = this.nanoTime.getAsLong();
		// Cleared first: a request that comes while the database is read is for the next
		// time.
		if (this.held.takeComparisonRequest()) {
			this.emptyRounds = 0;
		}
		else if (now - this.lastNanos < wait) {
			return;
		}
		this.lastNanos = now;
		try {
			giveBackPaused();
			compare();
			compareBegun();
			this.emptyRounds++;
		}
		catch (RuntimeException ex) {
			request();
			throw ex;
		}
	}

	private void giveBackPaused() {
		if (this.held.all().stream().anyMatch(Attempt::isWaiting)) {
			Set<String> paused = this.tables.queues().paused();
			this.held.giveBackWaiting((attempt) -> paused.contains(attempt.job().queue()));
		}
	}

	private void compare() {
		if (!isSame(claimed(), this.tables.claims().heldBy(this.session.id(), false))) {
			// The plain read may have been of an old replica.
			List<Attempt> inMemory = claimed();
			compare(inMemory, this.tables.claims().heldBy(this.session.id(), true));
		}
	}

	private List<Attempt> claimed() {
		return this.held.all().stream().filter((attempt) -> !attempt.job().isRowLock()).toList();
	}

	/**
	 * A job of a row-lock queue whose start record is gone, or whose row was found
	 * unlocked, has lost its connection.
	 */
	private void compareBegun() {
		List<Attempt> begun = this.held.all().stream().filter((attempt) -> attempt.marks().isBegun()).toList();
		if (begun.isEmpty()) {
			return;
		}
		Set<Claim> claims = begun.stream().map(Attempt::claim).collect(Collectors.toSet());
		if (!this.tables.rowLocks().begunBy(this.session.id(), false).containsAll(claims)) {
			// The plain read may have been of an old replica.
			Set<Claim> inTable = this.tables.rowLocks().begunBy(this.session.id(), true);
			begun.stream().filter((attempt) -> !inTable.contains(attempt.claim())).forEach(this::interrupt);
		}
	}

	private void interrupt(Attempt attempt) {
		if (this.held.contains(attempt) && this.held.letGo(attempt, InterruptReason.CANCELLED)) {
			log.info("{} job {} was cancelled or taken over; its attempt is interrupted", attempt.job().type(),
					attempt.claim().id());
		}
	}

	private static boolean isSame(List<Attempt> inMemory, List<Claim> inTable) {
		return inMemory.size() == inTable.size()
				&& Set.copyOf(inTable).containsAll(inMemory.stream().map(Attempt::claim).toList());
	}

	private void compare(List<Attempt> inMemory, List<Claim> inTable) {
		Set<Claim> current = Set.copyOf(inTable);
		for (Attempt attempt : inMemory) {
			if (!current.contains(attempt.claim())) {
				interrupt(attempt);
			}
		}
		// Those of a claim that is just under way are among these.
		if (!inTable.stream().allMatch(this.held::contains)
				&& !this.ahead.whileNoneIsClaimed(this::giveBackWhatIsNotHeld, PATIENCE)) {
			request();
		}
	}

	/**
	 * What was let go meanwhile is in the table and no longer in memory.
	 */
	private void giveBackWhatIsNotHeld() {
		List<Finish> orphans = new ArrayList<>();
		for (Claim claim : this.tables.claims().heldBy(this.session.id(), true)) {
			if (!this.held.contains(claim)) {
				orphans.add(new Finish.Release(claim, Duration.ZERO));
			}
		}
		if (!orphans.isEmpty()) {
			Set<Claim> ended = this.tables.claims().finish(orphans);
			if (ended.size() < orphans.size()) {
				log.info("{} job(s) that were claimed and are not held here were given back",
						orphans.size() - ended.size());
			}
		}
	}

}
