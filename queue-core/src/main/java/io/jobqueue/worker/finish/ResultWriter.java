package io.jobqueue.worker.finish;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Finished;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.AttemptEnd;
import io.jobqueue.worker.attempt.AttemptResult;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.session.WorkerSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits results, all of a batch together. It goes on until they are committed, turn out
 * to be stale, or are deferred. A result is <em>certain</em> as long as no earlier commit
 * of it may have taken place: only then can it be told that a claim that is not current
 * was lost to others.
 */
public final class ResultWriter {

	private static final Logger log = LoggerFactory.getLogger(ResultWriter.class);

	private static final long MAX_PAUSE_MILLIS = 2_000;

	private static final int FAILURES_BEFORE_SMALLER = 3;

	private final Commits commits;

	private final WorkerSession session;

	private final HeldAttempts held;

	private final DeferredResults deferred;

	private final ConflictSearch conflicts;

	private final LongSupplier nanoTime;

	private volatile boolean givingUp;

	private int failures;

	/** When the first of the commits began of which none has taken place yet. */
	private volatile @Nullable Long failingSince;

	public ResultWriter(Commits commits, WorkerSession session, HeldAttempts held, DeferredResults deferred,
			LongSupplier nanoTime) {
		this.commits = commits;
		this.session = session;
		this.held = held;
		this.deferred = deferred;
		this.conflicts = new ConflictSearch(deferred, this::write);
		this.nanoTime = nanoTime;
	}

	/**
	 * Lets it end even if it cannot commit; what is left is rescued by others.
	 */
	public void giveUp() {
		this.givingUp = true;
	}

	boolean isGivingUp() {
		return this.givingUp;
	}

	/**
	 * For how long no commit has taken place, or listeners have not been told of one.
	 * @return the time, zero if the last one is done with and no other has begun
	 */
	Duration failingFor() {
		Long since = this.failingSince;
		return (since != null) ? Duration.ofNanos(this.nanoTime.getAsLong() - since) : Duration.ZERO;
	}

	/**
	 * Commits results.
	 * @param batch the results
	 * @param certain whether no earlier commit of them may have taken place
	 */
	void write(List<AttemptResult> batch, boolean certain) throws InterruptedException {
		if (this.failingSince == null) {
			this.failingSince = this.nanoTime.getAsLong();
		}
		boolean stillCertain = certain;
		List<AttemptResult> left = batch;
		while (!this.givingUp) {
			Written written = new Written(stillCertain);
			try {
				writeOnce(left, written);
			}
			catch (RuntimeException | Error ex) {
				this.commits.start();
				stillCertain = written.certain;
				if (!(ex instanceof UnknownOutcomeException || SqlFailure.isOutage(ex))) {
					findRefused(left, stillCertain, ex);
					return;
				}
				// A lost commit may be what has ended a claim that is not current.
				stillCertain &= !(ex instanceof UnknownOutcomeException);
				left = afterOutage(left);
				pause(left, ex);
				if (left.size() > 1 && this.failures >= FAILURES_BEFORE_SMALLER && SqlFailure.mayBeTooLarge(ex)) {
					writeInParts(left, (left.size() + 1) / 2, stillCertain);
					return;
				}
				continue;
			}
			this.failures = 0;
			try {
				settle(left, written);
			}
			finally {
				this.commits.start();
			}
			// Listeners were told, who may have taken their time.
			this.failingSince = null;
			return;
		}
	}

	/** Commits results that have just come in. */
	void writeNew(List<AttemptResult> batch) throws InterruptedException {
		List<AttemptResult> others = this.conflicts.deferBlocked(batch);
		if (!others.isEmpty()) {
			write(others, true);
		}
	}

	private void writeInParts(List<AttemptResult> batch, int size, boolean certain) throws InterruptedException {
		for (int from = 0; from < batch.size(); from += size) {
			write(batch.subList(from, Math.min(from + size, batch.size())), certain);
		}
	}

	private void writeOnce(List<AttemptResult> results, Written written) {
		boolean certain = written.certain;
		List<Finish> finishes = results.stream().map(AttemptResult::finish).toList();
		// Others should not wait long for what somebody keeps locked.
		boolean shortly = this.conflicts.isUnderWay() || this.deferred.size() > 0;
		Finished finished = this.commits.finish(finishes, shortly ? LockWaits.SHORT : LockWaits.USUAL);
		written.notWritten = finished.notWritten();
		written.keys = finished.keys();
		// Should the next read fail, the others are committed all the same, and no longer
		// current when this is tried again.
		written.certain = false;
		written.locked = written.notWritten.isEmpty() ? Set.of() : this.commits.stillHeld(written.notWritten);
		written.certain = certain;
	}

	private void settle(List<AttemptResult> results, Written written) {
		List<AttemptEnd> ends = new ArrayList<>(results.size());
		for (AttemptResult result : results) {
			Claim claim = result.attempt().claim();
			if (written.locked.contains(claim)) {
				this.deferred.addLocked(written.certain ? result : result.maybeDone());
			}
			else if (written.notWritten.contains(claim)) {
				ends.add(stale(result, written.certain));
			}
			else {
				this.conflicts.committed(result);
				Attempt attempt = result.attempt();
				ends.add(new AttemptEnd(attempt, attempt.hasStarted() ? result.outcome() : null, result.ran(),
						result.finish(), written.keys.seenTo().contains(claim.id())));
			}
		}
		// Before the attempts are let go: in between, the poll loop should see too little
		// room rather than too much.
		this.deferred.publish();
		this.held.ended(ends, this.commits.replaced(ends, written.keys.claimed().size()));
	}

	private static AttemptEnd stale(AttemptResult result, boolean certain) {
		Attempt attempt = result.attempt();
		if (!certain || result.mayBeDone() || !attempt.hasStarted()) {
			return new AttemptEnd(attempt, null, result.ran());
		}
		log.warn("Result of {} job {} (attempt {}) discarded: its claim was no longer current", attempt.job().type(),
				attempt.claim().id(), attempt.job().attempt());
		return new AttemptEnd(attempt, Outcome.STALE, result.ran());
	}

	/**
	 * Finds out which of the results the database does not take, and whether it is for
	 * the text of an error. There is no pause: what does not help at once is tried again
	 * later.
	 */
	private void findRefused(List<AttemptResult> batch, boolean certain, Throwable cause) throws InterruptedException {
		AttemptResult first = batch.get(0);
		log.debug("{} result(s) could not be committed", batch.size(), cause);
		if (batch.size() > 1 && SqlFailure.isAboutData(cause)) {
			writeInParts(batch, (batch.size() + 1) / 2, certain);
		}
		else if (batch.size() > 1) {
			this.conflicts.search(batch, certain);
		}
		else if (SqlFailure.isAboutData(cause) && !first.withoutDetails().equals(first)) {
			write(List.of(first.withoutDetails()), certain);
		}
		else {
			this.conflicts.failed();
			this.deferred.add(certain ? first : first.maybeDone(), cause);
		}
	}

	/**
	 * What becomes of attempts that failed because some database was lost, now that the
	 * queue's seems to be lost too. It counts as an outage only if the heartbeat, which
	 * has a connection of its own, fails too: an exhausted pool is none.
	 */
	private List<AttemptResult> afterOutage(List<AttemptResult> left) {
		if (left.stream().noneMatch((result) -> result.attempt().marks().isFailedByOutage())) {
			return left;
		}
		boolean lostNow = this.session.beat() != WorkerSession.Beat.GOOD;
		return left.stream()
			.map((result) -> (lostNow || this.session.wasLostSince(result.attempt().startedNanos()))
					? result.afterOutage() : result.afterDisturbance())
			.toList();
	}

	private void pause(List<AttemptResult> left, Throwable cause) throws InterruptedException {
		if (this.failures++ == 0) {
			log.warn("{} result(s) could not be committed, the first that of {}; trying until they are: {}",
					left.size(), left.get(0).attempt().job().type() + " job " + left.get(0).attempt().claim().id(),
					cause.toString());
		}
		TimeUnit.MILLISECONDS.sleep(Math.min(MAX_PAUSE_MILLIS, 50L << Math.min(this.failures, 6)));
	}

}
