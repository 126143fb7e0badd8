package io.jobqueue.maintenance;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.MaintenanceStore;
import io.jobqueue.store.SqlFailure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what becomes of a batch of jobs. One that the database refuses to change, or
 * that somebody's locks stand in the way of, does not keep the others.
 */
final class WriteVerdicts {

	private static final Logger log = LoggerFactory.getLogger(WriteVerdicts.class);

	/** After so many in a row the others that end in the same way are left alone. */
	private static final int MOST_LOCKED = 2;

	private final MaintenanceStore store;

	/** Where to begin if a batch cannot be written together: elsewhere each time. */
	private final RandomGenerator random;

	/** Whether the last batch had to wait for a lock, so that the log says it once. */
	private boolean locked;

	WriteVerdicts(MaintenanceStore store, RandomGenerator random) {
		this.store = store;
		this.random = random;
	}

	/**
	 * Writes a batch.
	 * @param verdicts how each claim ends
	 * @return the claims for which nothing was written: not current, or locked
	 */
	Set<Claim> write(List<Finish> verdicts) {
		if (verdicts.isEmpty()) {
			return Set.of();
		}
		try {
			Set<Claim> left = writeOnce(verdicts);
			this.locked = false;
			return left;
		}
		catch (RuntimeException ex) {
			if (isLost(ex)) {
				throw ex;
			}
			logFailure(verdicts, ex);
			return writeOneByOne(verdicts);
		}
	}

	private void logFailure(List<Finish> verdicts, RuntimeException failure) {
		long first = verdicts.get(0).claim().id();
		if (!SqlFailure.isConflict(failure)) {
			this.locked = false;
			log.warn("{} job(s) could not be rescued together, the first of them job {}; trying one by one",
					verdicts.size(), first, failure);
		}
		else if (!this.locked) {
			this.locked = true;
			log.warn(
					"{} job(s) could not be rescued together, the first of them job {}: another transaction has locked "
							+ "where they are to be written. They are tried one by one, and again in each round",
					verdicts.size(), first);
		}
	}

	private Set<Claim> writeOneByOne(List<Finish> verdicts) {
		Set<Claim> left = new HashSet<>();
		Map<Class<?>, Integer> lockedInARow = new HashMap<>();
		List<Finish> turned = new ArrayList<>(verdicts);
		// Locked ones are often neighbours, and some round begins behind them.
		Collections.rotate(turned, this.random.nextInt(turned.size()));
		for (Finish verdict : turned) {
			int locked = lockedInARow.getOrDefault(verdict.getClass(), 0);
			if (locked == MOST_LOCKED) {
				left.add(verdict.claim());
				continue;
			}
			try {
				left.addAll(writeOnce(List.of(verdict)));
				lockedInARow.remove(verdict.getClass());
			}
			catch (RuntimeException ex) {
				if (isLost(ex)) {
					throw ex;
				}
				if (SqlFailure.isConflict(ex)) {
					// It is no fault of the job: the next round tries again.
					lockedInARow.put(verdict.getClass(), locked + 1);
					left.add(verdict.claim());
				}
				else if (SqlFailure.isAboutData(ex)) {
					left.addAll(deadLetter(verdict.claim(), ex));
				}
				else {
					// Its statement was killed, or a right is missing: it may go better.
					log.warn("Job {} could not be rescued in this round", verdict.claim().id(), ex);
					left.add(verdict.claim());
				}
			}
		}
		return left;
	}

	/**
	 * A row that cannot be made ready again, as one whose fence is the largest number
	 * there is, can still be archived.
	 */
	private Set<Claim> deadLetter(Claim claim, RuntimeException cause) {
		try {
			return writeOnce(List.of(new Finish.DeadLetter(claim,
					Failure.of(0, "rescue", "The job cannot be made ready again: " + cause.getMessage()))));
		}
		catch (RuntimeException ex) {
			if (isLost(ex)) {
				throw ex;
			}
			if (!SqlFailure.isConflict(ex)) {
				log.error("Job {} can be neither rescued nor archived", claim.id(), ex);
			}
			return Set.of(claim);
		}
	}

	private Set<Claim> writeOnce(List<Finish> verdicts) {
		return this.store.finish(verdicts, LockWaits.SHORT);
	}

	private static boolean isLost(RuntimeException ex) {
		return SqlFailure.isOutage(ex) || ex instanceof UnknownOutcomeException;
	}

}
