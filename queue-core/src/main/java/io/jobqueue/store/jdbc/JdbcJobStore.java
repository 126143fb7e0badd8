package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.database.Database;
import io.jobqueue.database.UnsupportedDatabaseException;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Enqueued;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.TypeRules;
import io.jobqueue.store.jdbc.claim.ClaimJobs;
import io.jobqueue.store.jdbc.claim.ClaimLimits;
import io.jobqueue.store.jdbc.claim.Payloads;
import io.jobqueue.store.jdbc.claim.Quarantine;
import io.jobqueue.store.jdbc.claim.ReadReadyRanges;
import io.jobqueue.store.jdbc.claim.SuspectAdmission;
import io.jobqueue.store.jdbc.claim.TakeJobs;
import io.jobqueue.store.jdbc.enqueue.EnqueueInTransaction;
import io.jobqueue.store.jdbc.finish.AckInTransaction;
import io.jobqueue.store.jdbc.finish.CancelJobs;
import io.jobqueue.store.jdbc.finish.DropDeadlines;
import io.jobqueue.store.jdbc.finish.RedriveJobs;
import io.jobqueue.store.jdbc.finish.WaitingJobs;

import org.jspecify.annotations.Nullable;

/**
 * The job store on a SQL database: hands each call to the class that has its statements.
 */
public class JdbcJobStore extends JdbcMaintenanceStore implements JobStore {

	private final Database database;

	private final EnqueueInTransaction enqueue;

	private final ReadReadyRanges ranges;

	private final ClaimJobs claim;

	private final Payloads payloads;

	private final AckInTransaction ack;

	private final DropDeadlines dropDeadlines;

	private final Quarantine quarantine;

	private final CancelJobs cancel;

	private final WaitingJobs live;

	private final RedriveJobs redrive;

	private final FindJobs find;

	/**
	 * Creates a store.
	 * @param database the database, with the queue's tables in it
	 * @param settings what is kept, where and how long, and how it is claimed
	 * @throws UnsupportedDatabaseException if the database cannot claim jobs that way
	 */
	public JdbcJobStore(Database database, StoreSettings settings) {
		this(database, settings, System::nanoTime);
	}

	/**
	 * Creates a store by another clock, for tests.
	 * @param database the database, with the queue's tables in it
	 * @param settings what is kept, where and how long, and how it is claimed
	 * @param nanoTime the monotonic clock
	 */
	public JdbcJobStore(Database database, StoreSettings settings, LongSupplier nanoTime) {
		this(database, settings, TakeJobs.of(database, settings, nanoTime), nanoTime);
	}

	JdbcJobStore(Database database, StoreSettings settings, TakeJobs strategy) {
		this(database, settings, strategy, System::nanoTime);
	}

	private JdbcJobStore(Database database, StoreSettings settings, TakeJobs strategy, LongSupplier nanoTime) {
		super(database, SharedStatements.of(database, settings));
		this.database = database;
		this.enqueue = new EnqueueInTransaction(database, settings);
		this.ranges = new ReadReadyRanges(database, this.shared.limited());
		this.quarantine = new Quarantine(database);
		this.claim = new ClaimJobs(database, strategy, new SuspectAdmission(this.quarantine),
				new ClaimLimits(database, this.shared.limited(), nanoTime),
				new ClaimJobs.Ends(this.shared.end(), this.shared.expire(), this.shared.flawed()));
		this.payloads = new Payloads(database);
		this.ack = new AckInTransaction(database, settings.keepSucceeded());
		this.dropDeadlines = new DropDeadlines(database);
		this.cancel = new CancelJobs(database, this.shared.end());
		this.live = new WaitingJobs(database);
		this.redrive = new RedriveJobs(database);
		this.find = new FindJobs(database);
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
		this.database.plainReads().seenLate();
	}

	@Override
	public void prepareClaims() {
		this.claim.prepare();
	}

	@Override
	public List<ClaimedJob> claim(ClaimRequest request) {
		return this.claim.claim(request);
	}

	@Override
	public Set<String> sortOut(ReadyRange range, Set<String> types, Duration age, int limit) {
		return this.shared.sortOut().sortOut(range, types, age, limit);
	}

	@Override
	public Map<String, Integer> registerTypes(Map<String, TypeRules> rules) {
		Map<String, Integer> ids = this.shared.types().register(rules);
		this.shared.limited().read();
		return ids;
	}

	@Override
	public boolean keepLimits(Map<String, TypeRules> rules) {
		return this.shared.types().keepLimits(rules);
	}

	@Override
	public @Nullable String payload(long jobId) {
		return this.payloads.read(jobId);
	}

	@Override
	public boolean ackInTransaction(Claim claim, boolean ordered) {
		return this.ack.ack(claim, ordered);
	}

	@Override
	public Set<Claim> ackInTransaction(List<Claim> claims) {
		return this.ack.ack(claims);
	}

	@Override
	public List<Claim> heldBy(long sessionId, boolean inTransaction) {
		return this.shared.running().heldBy(sessionId, inTransaction);
	}

	@Override
	public void dropDeadlines(Collection<Claim> claims) {
		this.dropDeadlines.drop(claims);
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
	public boolean cancel(long id) {
		return this.cancel.cancel(id);
	}

	@Override
	public CancelledJobs cancel(Collection<Long> ids) {
		return this.cancel.cancel(ids);
	}

	@Override
	public Optional<Long> liveJobOfKey(String type, String uniqueKey) {
		return this.find.liveOfKey(type, uniqueKey);
	}

	@Override
	public LiveJobs live(@Nullable String queue, @Nullable String type, long after, long last, int limit) {
		return this.live.list(queue, type, after, last, limit);
	}

	@Override
	public long lastLive() {
		return this.live.lastId();
	}

	@Override
	public boolean reschedule(long id, Instant availableAt) {
		return this.live.reschedule(id, null, availableAt);
	}

	@Override
	public int redrive(Collection<Long> ids) {
		return ids.isEmpty() ? 0 : this.redrive.redrive(ids);
	}

	@Override
	public List<DeadJob> dead(@Nullable String queue, @Nullable String type, @Nullable DeadJob after,
			LocalDateTime until, int limit) {
		return this.redrive.dead(queue, type, after, until, limit);
	}

	@Override
	public LocalDateTime now() {
		return this.redrive.now();
	}

	@Override
	public Optional<Job> findByKey(String type, String uniqueKey) {
		return this.find.ofKey(type, uniqueKey);
	}

	@Override
	public Optional<Job> find(long id) {
		return this.find.find(id);
	}

}
