package io.jobqueue.store.jdbc.order;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.jobqueue.database.Database;
import io.jobqueue.store.ClaimNext;
import io.jobqueue.store.Finished;
import io.jobqueue.store.jdbc.claim.TakeWaiting;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.finish.KeysOfAcked;
import io.jobqueue.store.jdbc.table.OrderChanges;

/**
 * Lets the next jobs of keys run in the transaction in which those before are acked. It
 * sees to a key only if that is open, its row can be locked at once, and its head is the
 * acked job. All else is left to {@link SettleKeys}, which is told of it by a change.
 */
public final class SettleAcked implements KeysOfAcked {

	private final Database database;

	private final OrderChanges changes;

	private final KeyRows rows;

	private final AdmitJobs admit;

	private final TakeWaiting take;

	/**
	 * Creates the statements.
	 * @param database the database
	 * @param end the end of jobs that cannot be ready
	 * @param take claims jobs that wait
	 */
	public SettleAcked(Database database, EndJobs end, TakeWaiting take) {
		this.database = database;
		this.changes = new OrderChanges(database);
		this.rows = new KeyRows(database);
		this.admit = new AdmitJobs(database, end, new Places(database));
		this.take = take;
	}

	@Override
	public Finished.Keys settle(Map<Long, String> acked, ClaimNext next) {
		Map<String, Long> heads = new HashMap<>();
		acked.forEach((job, key) -> heads.put(this.database.dialect().name(key), job));
		List<KeyRow> free = this.rows.lockThere(heads.keySet())
			.stream()
			.filter((row) -> row.state() == KeyRow.State.OPEN && heads.getOrDefault(row.key(), 0L) == row.head())
			.toList();
		AdmitJobs.Admitted admitted = next.isToClaim() ? this.admit.admit(free, this.take, next)
				: this.admit.admit(free);
		this.rows.saveHeads(admitted.heads());
		// Keys without a next job stay as they are: a head that has ended is as good as
		// none. What is left is a head that died while it was made ready.
		this.rows.save(admitted.others()
			.stream()
			.filter((row) -> row.head() != 0 && !admitted.again().contains(row.key()))
			.toList());
		Set<Long> seenTo = new HashSet<>();
		free.stream().filter((row) -> !admitted.again().contains(row.key())).forEach((row) -> seenTo.add(row.head()));
		Map<Long, String> left = new TreeMap<>(acked);
		left.keySet().removeAll(seenTo);
		this.changes.ended(left);
		return new Finished.Keys(seenTo, admitted.ready(), admitted.claimed());
	}

}
