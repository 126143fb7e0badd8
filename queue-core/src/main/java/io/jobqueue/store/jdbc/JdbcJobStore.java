package io.jobqueue.store.jdbc;

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
import io.jobqueue.store.JobStore;
import io.jobqueue.store.OverdueJob;
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

	private final EnqueueInTransaction enqueue;

	private final ReadReadyRanges ranges;

	private final JobTypes types;

	private final SortOutJobs sortOut;

	private final ClaimJobs claim;

	private final Payloads payloads;

	private final FinishJobs finish;

	private final EndJobs endWithCaller;

	private final RunningJobs running;

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
		this(database, settings, ClaimStrategy.of(database, settings.inlinePayload(), System::nanoTime));
	}

	JdbcJobStore(Database database, StoreSettings settings, ClaimStrategy strategy) {
		this.database = database;
		Database ofCaller = database.ofCaller();
		StoreErrors errors = new StoreErrors(database);
		EndJobs end = new EndJobs(database, errors, settings.keepSucceeded());
		this.enqueue = new EnqueueInTransaction(database, settings);
		this.ranges = new ReadReadyRanges(database);
		this.types = new JobTypes(database);
		this.sortOut = new SortOutJobs(database, this.types);
		this.expire = new ExpireJobs(database, end);
		this.flawed = new FlawedJobs(database, end);
		this.reusedIds = new ReusedIds(database);
		this.quarantine = new Quarantine(database);
		this.claim = new ClaimJobs(database, strategy, new SuspectAdmission(this.quarantine), end, this.expire,
				this.flawed);
		this.payloads = new Payloads(database);
		this.finish = new FinishJobs(database.transactions(), new LockClaims(database),
				FinishJobs.endings(end, new ReadyAgain(database, errors)));
		this.endWithCaller = new EndJobs(ofCaller, new StoreErrors(ofCaller), settings.keepSucceeded());
		this.running = new RunningJobs(database);
		this.cancel = new CancelJobs(database, end);
		this.redrive = new RedriveJobs(database);
		this.prune = new PruneArchive(database);
		this.retention = new Retention(database);
		this.pruneUniqueKeys = new PruneUniqueKeys(database);
		this.find = new FindJobs(database);
		this.findWithCaller = new FindJobs(ofCaller);
	}

	@Override
	public Enqueued enqueue(List<EnqueuedJob> jobs) {
		return this.enqueue.enqueue(jobs);
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
		return this.finish.finish(finishes);
	}

	@Override
	public boolean ackInTransaction(Claim claim) {
		if (!this.database.inCallersTransaction()) {
			throw new IllegalStateException("No transaction is open on the job queue's DataSource");
		}
		return this.endWithCaller.ackIfCurrent(claim);
	}

	@Override
	public List<Claim> heldBy(long sessionId, boolean inTransaction) {
		return this.running.heldBy(sessionId, inTransaction);
	}

	@Override
	public List<OverdueJob> overdue(long after, int limit) {
		return this.running.overdue(after, limit);
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
