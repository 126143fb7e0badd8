package io.jobqueue.store.jdbc.finish;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.jdbc.table.StoreErrors;

/**
 * ack in the transaction of the caller, with what the handler has written.
 */
public final class AckInTransaction {

	private final Database database;

	private final EndJobs end;

	private final LockClaims locks;

	/**
	 * Creates it.
	 * @param database the database
	 * @param keepSucceeded whether succeeded jobs are archived
	 */
	public AckInTransaction(Database database, boolean keepSucceeded) {
		this.database = database;
		Database ofCaller = database.ofCaller();
		this.end = new EndJobs(ofCaller, new StoreErrors(ofCaller), keepSucceeded);
		this.locks = new LockClaims(ofCaller);
	}

	/**
	 * Acks one job.
	 * @param ordered whether it has an order key
	 * @return whether the claim was current
	 */
	public boolean ack(Claim claim, boolean ordered) {
		mustBeInTransaction();
		return this.end.ackIfCurrent(claim, ordered);
	}

	/**
	 * Acks several jobs, unless one of them is no longer the claim's.
	 * @return the claims that are not current
	 */
	public Set<Claim> ack(List<Claim> claims) {
		mustBeInTransaction();
		List<Claim> sorted = claims.stream().sorted(Comparator.comparingLong(Claim::id)).toList();
		Set<Claim> stale = new HashSet<>(sorted);
		List<LockClaims.Locked> locked = new ArrayList<>();
		for (List<Claim> chunk : Chunks.of(sorted)) {
			LockClaims.Locked now = this.locks.lock(chunk);
			locked.add(now);
			stale.removeAll(now.current());
		}
		if (!stale.isEmpty()) {
			// Somebody has locked some for longer than a moment, or they are not current.
			LockClaims.Locked now = this.locks.lockWaiting(stale);
			locked.add(now);
			stale.removeAll(now.current());
		}
		if (stale.isEmpty()) {
			locked.forEach((chunk) -> this.end.ack(
					chunk.current().stream().sorted(Comparator.comparingLong(Claim::id)).map(Finish.Ack::new).toList(),
					chunk));
		}
		return stale;
	}

	private void mustBeInTransaction() {
		if (!this.database.callers().isInTransaction()) {
			throw new IllegalStateException("No transaction is open on the job queue's DataSource");
		}
	}

}
