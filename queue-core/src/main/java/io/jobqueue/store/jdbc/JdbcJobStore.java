package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Enqueued;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.OverdueJob;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.ReadyRange;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The job store on a SQL database: hands each transition to the class that holds its
 * statements.
 */
public class JdbcJobStore implements JobStore {

	private static final Logger log = LoggerFactory.getLogger(JdbcJobStore.class);

	private final Database database;

	private final StoreSettings settings;

	private final EnqueueJobs enqueue;

	private final EnqueueJobs enqueueWithCaller;

	private final ReadReadyRanges ranges;

	private final JobTypes types;

	private final SortOutJobs sortOut;

	private final ClaimJobs claim;

	private final Payloads payloads;

	private final FinishJobs finish;

	private final AckJobs ackWithCaller;

	private final RescueJobs rescue;

	private final ExpireJobs expire;

	private final FlawedJobs flawed;

	private final ReusedIds reusedIds;

	private final Quarantine quarantine;

	private final CancelJobs cancel;

	private final RedriveJobs redrive;

	private final PruneArchive prune;

	private final Retention retention;

	private final PruneUniqueKeys pruneUniqueKeys;

	private final FindJobs find;

	private final FindJobs findWithCaller;

	/**
	 * Creates a store.
	 * @param database the database, with the queue's tables in it
	 * @param settings what is kept, where and how long
	 */
	public JdbcJobStore(Database database, StoreSettings settings) {
		this.database = database;
		this.settings = settings;
		Database ofCaller = database.ofCaller();
		ArchiveJobs archive = new ArchiveJobs(database);
		this.enqueue = enqueue(database, settings);
		this.enqueueWithCaller = enqueue(ofCaller, settings);
		this.ranges = new ReadReadyRanges(database);
		this.types = new JobTypes(database);
		this.sortOut = new SortOutJobs(database, this.types);
		this.expire = new ExpireJobs(database, archive);
		this.reusedIds = new ReusedIds(database);
		this.quarantine = new Quarantine(database);
		this.flawed = new FlawedJobs(database, archive, new StoreErrors(database));
		this.claim = new ClaimJobs(database, ClaimStrategy.of(database, settings.inlinePayload(), System::nanoTime),
				this.quarantine, archive, this.expire, this.flawed);
		this.payloads = new Payloads(database);
		this.finish = finish(database, settings);
		this.ackWithCaller = new AckJobs(new ArchiveJobs(ofCaller), settings.keepSucceeded());
		this.rescue = new RescueJobs(database, new StoreErrors(database));
		this.cancel = new CancelJobs(database, archive);
		this.redrive = new RedriveJobs(database);
		this.prune = new PruneArchive(database, archive);
		this.retention = new Retention(database);
		this.pruneUniqueKeys = new PruneUniqueKeys(database);
		this.find = new FindJobs(database);
		this.findWithCaller = new FindJobs(ofCaller);
	}

	private static EnqueueJobs enqueue(Database database, StoreSettings settings) {
		return new EnqueueJobs(database, new UniqueKeys(database, settings.uniqueKeyRetention()),
				settings.inlinePayload());
	}

	private static FinishJobs finish(Database database, StoreSettings settings) {
		ArchiveJobs archive = new ArchiveJobs(database);
		StoreErrors errors = new StoreErrors(database);
		return new FinishJobs(new LockClaims(database),
				List.of(new AckJobs(archive, settings.keepSucceeded()), new RetryJobs(database, errors),
						new DeadLetterJobs(archive, errors), new ReleaseJobs(database),
						new RescueJobs(database, errors), new OutageJobs(database, errors)));
	}

	@Override
	public Enqueued enqueue(List<EnqueuedJob> jobs) {
		if (jobs.isEmpty()) {
			return new Enqueued(List.of(), List.of(), true);
		}
		return switch (CallersTransaction.phase()) {
			case NONE -> enqueueApart(jobs);
			case OPEN -> enqueueWithCaller(jobs);
			case OVER -> enqueueAfterCallers(jobs);
			case UNKNOWN -> throw new IllegalStateException("A callback runs after the end of a transaction whose "
					+ "manager does not tell the job queue of it, so it cannot know whether the job would be committed. "
					+ "Enqueue in a new transaction (REQUIRES_NEW), or make the transaction manager a bean");
		};
	}

	private Enqueued enqueueWithCaller(List<EnqueuedJob> jobs) {
		if (!this.database.inCallersTransaction()) {
			throw new IllegalStateException("The transaction that is open here is not on the job queue's DataSource, "
					+ "so the job would be enqueued even if it is rolled back. Enqueue in a transaction of the queue's "
					+ "DataSource (choose it with @JobQueueDataSource), or outside of any transaction.");
		}
		return this.enqueueWithCaller.enqueue(jobs, this.database.isReadCommitted());
	}

	/**
	 * The caller's transaction is over, but its connection is not yet back in the pool. A
	 * second one might never come, if every thread that has one waited for another.
	 */
	private Enqueued enqueueAfterCallers(List<EnqueuedJob> jobs) {
		Connection connection = this.database.boundConnection();
		if (connection == null) {
			return enqueueApart(jobs);
		}
		Database same = this.database.on(connection);
		// What the callback has done on it by itself is over, too. It would be committed
		// with the jobs otherwise, or be in the way of their isolation level.
		same.commitWhatIsOpen(connection);
		return same.transactions().run(() -> enqueue(same, this.settings).enqueue(jobs, true)).committed();
	}

	private Enqueued enqueueApart(List<EnqueuedJob> jobs) {
		Transactions transactions = this.database.transactions();
		// In a scope without transaction (SUPPORTS) Spring would keep a connection that
		// was asked for until the scope ends; a transaction of its own suspends that.
		boolean alone = this.enqueue.isOneStatement(jobs) && this.database.commitsByItself()
				&& !TransactionSynchronizationManager.isSynchronizationActive();
		Enqueued enqueued = alone ? transactions.runOneStatement(() -> this.enqueue.enqueue(jobs, true))
				: transactions.run(() -> this.enqueue.enqueue(jobs, true));
		return enqueued.committed();
	}

	@Override
	public Ranges ready(long sessionId, Collection<Integer> typeIds, boolean inTransaction) {
		return this.ranges.read(sessionId, typeIds, inTransaction);
	}

	@Override
	public void readInTransactions() {
		if (this.database.readInTransactions()) {
			log.warn("A read outside of a transaction did not show what was committed before: it went to a server that "
					+ "lags behind, as with a proxy that sends reads elsewhere. The job queue reads in transactions from "
					+ "now on, which takes it five statements instead of one");
		}
	}

	@Override
	public List<ClaimedJob> claim(ClaimRequest request) {
		return this.claim.claim(request);
	}

	@Override
	public Set<String> sortOut(ReadyRange range, Set<String> types, Duration age, int limit) {
		return this.sortOut.sortOut(range, types, age, limit);
	}

	@Override
	public Map<String, Integer> registerTypes(Map<String, RetryPolicy> retries) {
		return this.types.register(retries);
	}

	@Override
	public Optional<RetryPolicy> retryOf(String type) {
		return this.types.retryOf(type);
	}

	@Override
	public Map<JobState, Duration> retention(String application, Map<JobState, Duration> own) {
		return this.retention.longest(application, own);
	}

	@Override
	public List<TypeInQueue> sortedOut(int limit) {
		return this.sortOut.sortedOut(limit);
	}

	@Override
	public @Nullable String payload(long jobId) {
		return this.payloads.read(jobId);
	}

	@Override
	public Set<Claim> finish(Collection<? extends Finish> finishes) {
		// H2 locks more rows than it returns, so there somebody else's lock tells
		// nothing.
		boolean skipLocked = this.database.dialect() != Dialect.H2;
		return this.database.transactions().run(() -> this.finish.finish(finishes, skipLocked));
	}

	@Override
	public boolean ackInTransaction(Claim claim) {
		if (!this.database.inCallersTransaction()) {
			throw new IllegalStateException("No transaction is open on the job queue's DataSource");
		}
		return this.ackWithCaller.ackOne(claim);
	}

	@Override
	public List<Claim> heldBy(long sessionId, boolean inTransaction) {
		return this.rescue.heldBy(sessionId, inTransaction);
	}

	@Override
	public List<OverdueJob> overdue(long after, int limit) {
		return this.rescue.overdue(after, limit);
	}

	@Override
	public Batch<LocalDateTime> expire(@Nullable LocalDateTime from, int limit) {
		return this.expire.expire(from, limit);
	}

	@Override
	public int deadLetterUnknownStates(int limit) {
		return this.flawed.deadLetterUnknownStates(limit);
	}

	@Override
	public boolean enterQuarantine(long sessionId) {
		return this.quarantine.enter(sessionId);
	}

	@Override
	public boolean leaveQuarantine(long sessionId) {
		return this.quarantine.leave(sessionId);
	}

	@Override
	public long keepIdsUnique() {
		return this.reusedIds.keepUnique();
	}

	@Override
	public boolean cancel(long id) {
		return this.cancel.cancel(id);
	}

	@Override
	public int redrive(Collection<Long> ids) {
		return ids.isEmpty() ? 0 : this.redrive.redrive(ids);
	}

	@Override
	public List<DeadJob> dead(@Nullable String queue, @Nullable String type, @Nullable DeadJob after,
			LocalDateTime until, int limit) {
		return this.database.transactions().run(() -> this.redrive.dead(queue, type, after, until, limit));
	}

	@Override
	public LocalDateTime now() {
		return this.database.transactions().run(this.redrive::now);
	}

	@Override
	public Batch<LocalDateTime> prune(JobState state, Duration age, @Nullable LocalDateTime from, int limit) {
		return this.prune.prune(state, age, from, limit);
	}

	@Override
	public Batch<OldKey> pruneUniqueKeys(@Nullable OldKey after, int limit) {
		return this.pruneUniqueKeys.prune(after, limit);
	}

	@Override
	public Optional<Job> find(long id) {
		return TransactionSynchronizationManager.isActualTransactionActive() ? this.findWithCaller.find(id)
				: this.database.read(() -> this.find.find(id));
	}

}
