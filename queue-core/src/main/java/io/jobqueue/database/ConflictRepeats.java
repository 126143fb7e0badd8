package io.jobqueue.database;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.jobqueue.store.SqlFailure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.UncategorizedSQLException;

/**
 * Repeats transactions after a deadlock or a lock-wait timeout.
 */
final class ConflictRepeats {

	private static final Logger log = LoggerFactory.getLogger(ConflictRepeats.class);

	private static final int LEAST_TRIES = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final int leastTries;

	private final Duration patience;

	private final LongAdder conflicts = new LongAdder();

	private ConflictRepeats(int leastTries, Duration patience) {
		this.leastTries = leastTries;
		this.patience = patience;
	}

	static ConflictRepeats usual() {
		return new ConflictRepeats(LEAST_TRIES, PATIENCE);
	}

	/**
	 * Whatever is run is run once.
	 */
	static ConflictRepeats none() {
		return new ConflictRepeats(1, Duration.ZERO);
	}

	/**
	 * Runs a transaction.
	 * @param <T> what it returns
	 * @param transaction the transaction; run again from the start after a conflict
	 * @param patiently whether to repeat it for some time; else a few times at once
	 * @return what it returned
	 */
	<T> T run(Supplier<T> transaction, boolean patiently) {
		Duration patience = patiently ? this.patience : Duration.ZERO;
		long start = System.nanoTime();
		for (int tries = 1;; tries++) {
			try {
				return transaction.get();
			}
			catch (RuntimeException ex) {
				if (Thread.currentThread().isInterrupted() || !SqlFailure.isConflict(ex)) {
					throw ex;
				}
				boolean enough = tries >= this.leastTries || SqlFailure.isLockWait(ex);
				if (enough && System.nanoTime() - start > patience.toNanos()) {
					// Spring has no name of its own for a lock that was not waited for.
					throw (ex instanceof UncategorizedSQLException)
							? new CannotAcquireLockException(
									"Other transactions, or the caller's own, keep what the job queue needs locked", ex)
							: ex;
				}
				this.conflicts.increment();
				log.debug("Conflict with another transaction, repeated: {}", ex.toString());
				LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000L << Math.min(tries, 6)));
			}
		}
	}

	long conflicts() {
		return this.conflicts.sum();
	}

}
