package io.jobqueue.store.jdbc.limit;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import io.jobqueue.Limit;
import io.jobqueue.LimitStatus;
import io.jobqueue.database.Database;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitStore;
import io.jobqueue.store.MaintenanceStore.Batch;
import org.jspecify.annotations.Nullable;

/**
 * Limits on a SQL database: hands each step to the class that holds its statements.
 */
public final class JdbcLimits implements LimitStore {

	private final Allowances allowances;

	private final StoreLimits limits;

	private final DeclaredLimits declared;

	private final SettleLimits settle;

	private final SweepLimits sweep;

	/**
	 * Creates the statements.
	 * @param database the database, with the queue's tables in it
	 */
	public JdbcLimits(Database database) {
		this.allowances = new Allowances(database);
		this.limits = new StoreLimits(database, this.allowances);
		this.declared = new DeclaredLimits(database, this.limits);
		this.settle = new SettleLimits(database, this.allowances);
		this.sweep = new SweepLimits(database, this.settle, this.allowances);
	}

	@Override
	public void save(Limit limit) {
		this.limits.save(limit);
	}

	@Override
	public boolean change(Limit before, Limit after) {
		return this.limits.change(before, after);
	}

	@Override
	public List<String> declare(Collection<Limit> declared, long revision, Duration live) {
		return this.declared.declare(declared, revision, live);
	}

	@Override
	public List<LimitStatus> list(@Nullable String name) {
		return this.limits.list(name);
	}

	@Override
	public Settled settle(Collection<LimitKey> keys) {
		return this.settle.settle(keys);
	}

	@Override
	public List<LimitKey> due(int limit) {
		return this.allowances.due(limit);
	}

	@Override
	public Batch<LimitKey> sweepKeys(@Nullable LimitKey after, int limit) {
		return this.sweep.keys(after, limit);
	}

	@Override
	public Batch<Long> sweepJobs(@Nullable Long after, int limit) {
		return this.sweep.jobs(after, limit);
	}

	@Override
	public Batch<LimitKey> forget(@Nullable LimitKey after, int limit) {
		return this.sweep.forget(after, limit);
	}

}
