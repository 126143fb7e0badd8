package io.jobqueue.store.jdbc;

import io.jobqueue.ArchivedJob;
import io.jobqueue.JobState;
import io.jobqueue.database.Database;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimNext;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Finished;
import io.jobqueue.store.Keep;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.MaintenanceStore;
import io.jobqueue.store.OverdueJob;
import io.jobqueue.store.jdbc.finish.FinishJobs;
import io.jobqueue.store.jdbc.finish.LockClaims;
import io.jobqueue.store.jdbc.finish.ReadyAgain;
import io.jobqueue.store.jdbc.order.SettleAcked;
import io.jobqueue.store.jdbc.prune.PruneArchive;
import io.jobqueue.store.jdbc.prune.PruneUniqueKeys;
import io.jobqueue.store.jdbc.prune.Retention;
import io.jobqueue.store.jdbc.table.ReusedIds;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What maintenance asks for, in SQL.
 */
class JdbcMaintenanceStore implements MaintenanceStore {

	final SharedStatements shared;

	private final FinishJobs finish;

	private final ReusedIds reusedIds;

	private final PruneArchive prune;

	private final ReadArchive archived;

	private final PruneUniqueKeys pruneUniqueKeys;

	private final Retention retention;

	JdbcMaintenanceStore(Database database, SharedStatements shared) {
		this.shared = shared;
		this.finish = new FinishJobs(database.transactions(), new LockClaims(database),
				new SettleAcked(database, shared.end(), shared.waiting()),
				FinishJobs.endings(shared.end(), new ReadyAgain(database, shared.errors(), shared.limited())));
		this.reusedIds = new ReusedIds(database);
		this.prune = new PruneArchive(database);
		this.archived = new ReadArchive(database);
		this.pruneUniqueKeys = new PruneUniqueKeys(database);
		this.retention = new Retention(database);
	}

	@Override
	public Set<Claim> finish(Collection<? extends Finish> finishes, LockWaits waits) {
		return this.finish.finish(finishes, waits);
	}

	// Of ClaimStore, by the same statements.
	public Finished finish(Collection<? extends Finish> finishes, LockWaits waits, ClaimNext next) {
		return this.finish.finish(finishes, waits, next);
	}

	@Override
	public List<OverdueJob> overdue(long after, int limit) {
		return this.shared.running().overdue(after, limit);
	}

	@Override
	public Batch<LocalDateTime> expire(@Nullable LocalDateTime from, int limit) {
		return this.shared.expire().expire(from, limit);
	}

	@Override
	public int deadLetterUnknownStates(int limit) {
		return this.shared.flawed().deadLetterUnknownStates(limit);
	}

	@Override
	public long keepIdsUnique() {
		return this.reusedIds.keepUnique();
	}

	@Override
	public LocalDateTime keptSince(JobState state, Keep keep) {
		return this.prune.keptSince(state, keep);
	}

	@Override
	public Batch<LocalDateTime> prune(JobState state, LocalDateTime before, @Nullable LocalDateTime from, int limit) {
		return this.prune.prune(state, before, from, limit);
	}

	@Override
	public ArchivedBatch archived(JobState state, LocalDateTime before, @Nullable LocalDateTime from, int limit) {
		return this.archived.read(state, before, from, limit);
	}

	@Override
	public int deleteArchived(List<ArchivedJob> jobs) {
		return this.prune.deleteStored(jobs);
	}

	@Override
	public Batch<OldKey> pruneUniqueKeys(@Nullable OldKey after, int limit) {
		return this.pruneUniqueKeys.prune(after, limit);
	}

	@Override
	public Optional<RetryPolicy> retryOf(String type) {
		return this.shared.types().retryOf(type);
	}

	@Override
	public Map<JobState, Keep> retention(String application, Map<JobState, Keep> own) {
		return this.retention.longest(application, own);
	}

	@Override
	public List<TypeInQueue> sortedOut(int limit) {
		return this.shared.sortOut().sortedOut(limit);
	}

}
