package io.jobqueue.worker.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.RowLocks;
import io.jobqueue.worker.attempt.AbandonedException;
import io.jobqueue.worker.attempt.Attempt;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a job has to do with the transaction of its handler: a job that was claimed is
 * acked in it, and one of a row-lock queue is begun and held by it as well.
 */
public final class JobsInTransactions {

	private static final Logger log = LoggerFactory.getLogger(JobsInTransactions.class);

	/**
	 * How long a job that failed may stay claimed: its result is to be committed at once,
	 * but may be kept from that, as {@code Claimer} says.
	 */
	private static final Duration TO_END = Duration.ofMinutes(3);

	private final ClaimStore store;

	private final RowLocks rowLocks;

	/**
	 * Creates it.
	 * @param store where claimed jobs are acked
	 * @param rowLocks where others are begun
	 */
	public JobsInTransactions(ClaimStore store, RowLocks rowLocks) {
		this.store = store;
		this.rowLocks = rowLocks;
	}

	InTransaction of(Attempt attempt) {
		return attempt.job().isRowLock() ? new RowLocked(attempt)
				: () -> this.store.ackInTransaction(attempt.claim(), attempt.job().orderKey() != null);
	}

	/**
	 * The jobs of a chunk, which were claimed.
	 * @param acked tells which of them are to be acked
	 * @param stale is told of those that are no longer their attempts'
	 */
	InTransaction ofChunk(Supplier<List<Claim>> acked, Consumer<Set<Claim>> stale) {
		return () -> {
			Set<Claim> lost = this.store.ackInTransaction(acked.get());
			stale.accept(lost);
			return lost.isEmpty();
		};
	}

	/**
	 * One job in the transaction of its handler.
	 */
	interface InTransaction {

		/**
		 * Leaves the job to others, since it, or its transaction, could not begin.
		 * @return false if it cannot be left: it was claimed
		 */
		default boolean leave(RuntimeException failure) {
			return false;
		}

		/**
		 * Begins, in a transaction in which nothing was done.
		 * @return false if the job is somebody else's
		 */
		default boolean begin() {
			return true;
		}

		/**
		 * Acks the job.
		 * @return false if it is no longer this attempt's
		 */
		boolean ack();

		/**
		 * The handler has failed, and its transaction is about to be rolled back.
		 * @param connection that of the transaction
		 * @param start the savepoint from before the handler; null if there is none
		 */
		default void failed(Connection connection, @Nullable Savepoint start) throws SQLException {
		}

		/**
		 * The transaction was rolled back, or could not be committed.
		 */
		default void rolledBack() {
		}

	}

	/**
	 * A job of a row-lock queue. If its handler fails the lock becomes an ordinary claim,
	 * and that ends in the ordinary way.
	 */
	private final class RowLocked implements InTransaction {

		private final Attempt attempt;

		private RowLocks.@Nullable Hold hold;

		private boolean claimed;

		private boolean abandoned;

		RowLocked(Attempt attempt) {
			this.attempt = attempt;
		}

		@Override
		public boolean leave(RuntimeException failure) {
			log.warn("{} job {} could not begin, and is tried again; no attempt is counted: {}",
					this.attempt.job().type(), this.attempt.claim().id(), FailureTexts.oneLine(failure));
			return true;
		}

		@Override
		public boolean begin() {
			this.hold = JobsInTransactions.this.rowLocks.begin(this.attempt.job(),
					this.attempt.handler().timeoutOf(this.attempt.job().timeout()));
			if (this.hold == null) {
				return false;
			}
			this.attempt.marks().begun();
			return true;
		}

		@Override
		public boolean ack() {
			RowLocks.Hold held = this.hold;
			return held != null && held.ack();
		}

		@Override
		public void failed(Connection connection, @Nullable Savepoint start) throws SQLException {
			RowLocks.Hold held = this.hold;
			if (held == null) {
				return;
			}
			try {
				// No interrupt from now on, which could cost the connection.
				this.attempt.finish();
				if (start != null) {
					connection.rollback(start);
					this.claimed = held.claim(TO_END);
				}
			}
			catch (AbandonedException ex) {
				// Nobody waits for a claim. The open record makes the job a suspect.
				this.abandoned = true;
				throw ex;
			}
			finally {
				if (!this.claimed) {
					held.letGo();
				}
			}
		}

		@Override
		public void rolledBack() {
			if (this.hold == null || this.claimed || this.abandoned) {
				return;
			}
			if (!JobsInTransactions.this.rowLocks.claim(this.attempt.job(), TO_END)) {
				log.debug("{} job {} has ended, or its connection still locks its row", this.attempt.job().type(),
						this.attempt.claim().id());
				JobsInTransactions.this.rowLocks.giveUp(this.attempt.job());
			}
		}

	}

}
