package io.jobqueue.store.jdbc.order;

import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

import io.jobqueue.BlockedKey;
import io.jobqueue.database.Database;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.OrderKeys;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.table.StoreErrors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Order keys on a SQL database: hands each step to the class that holds its statements.
 */
public final class JdbcOrderKeys implements OrderKeys {

	private static final Logger log = LoggerFactory.getLogger(JdbcOrderKeys.class);

	private final Database database;

	private final SettleKeys settle;

	private final SettleChanges changes;

	private final SweepKeys sweep;

	private final BlockedKeys blocked;

	/**
	 * Creates the statements.
	 * @param database the database, with the queue's tables in it
	 * @param nanoTime the monotonic clock
	 */
	public JdbcOrderKeys(Database database, LongSupplier nanoTime) {
		this.database = database;
		this.blocked = new BlockedKeys(database);
		// No job succeeds here, so it does not matter what becomes of those.
		this.settle = new SettleKeys(database, new EndJobs(database, new StoreErrors(database), true), this.blocked);
		this.changes = new SettleChanges(database, this.settle, nanoTime);
		this.sweep = new SweepKeys(database, this.settle);
	}

	@Override
	public Settled settle() {
		return this.changes.settle();
	}

	@Override
	public Batch<String> sweepKeys(@Nullable String after, int limit) {
		return this.sweep.keys(after, limit);
	}

	@Override
	public Batch<Long> sweepJobs(@Nullable Long after, int limit) {
		return this.sweep.jobs(after, limit);
	}

	@Override
	public Batch<String> forget(@Nullable String after, int limit) {
		return this.sweep.forget(after, limit);
	}

	@Override
	public List<BlockedKey> blocked(int limit) {
		return this.blocked.list(limit);
	}

	@Override
	public boolean unblock(String orderKey, @Nullable Long deadJob) {
		boolean unblocked = this.database.transactions().run(() -> this.blocked.unblock(orderKey, deadJob));
		if (unblocked) {
			settleSoon(orderKey);
		}
		return unblocked;
	}

	/** It is unblocked, whatever comes of this. */
	private void settleSoon(String orderKey) {
		try {
			this.settle.settle(Set.of(orderKey));
		}
		catch (RuntimeException ex) {
			log.warn(
					"The order key '{}' was unblocked; its next job is let go by the next sweep, since that failed now: {}",
					orderKey, ex.toString());
		}
	}

}
