package io.jobqueue.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.QueueMode;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.OverdueJob;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.RowLocks;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.Pruning;

import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One of a crowd: an application, a worker and its maintenance in turns, and what it was
 * told of its doings.
 */
final class CrowdMember {

	private static final String QUEUE = "default";

	private static final int KEYS = 40;

	private static final int BATCH = 10;

	/** The jobs that it has enqueued, its own or found by their key. */
	final List<Long> enqueued = new ArrayList<>();

	/** The acks that were accepted, in a transaction of a handler or not. */
	final List<Claim> won = new ArrayList<>();

	/** Of these, the ones with an entry in the ledger. */
	final List<Claim> posted = new ArrayList<>();

	final List<Long> cancelled = new ArrayList<>();

	/** How many of its own transactions a conflict has undone. */
	int failedTransactions;

	private final long session;

	private final Random random;

	private final JobStore store;

	private final StoredJobQueue queue;

	private final JdbcTemplate sql;

	private final Effects effects;

	private final TransactionTemplate transaction;

	private QueueMode mode = QueueMode.STANDARD;

	private RowLocks rowLocks;

	CrowdMember(int number, long seed, DataSource dataSource, JobStore store, StoredJobQueue queue) {
		this.session = number + 1;
		this.random = new Random(seed + number);
		this.store = store;
		this.queue = queue;
		this.sql = new JdbcTemplate(dataSource);
		this.effects = new Effects(this.sql, "member-" + number);
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
	}

	/**
	 * The queue is in this mode.
	 */
	CrowdMember inMode(QueueMode other, RowLocks locks) {
		this.mode = other;
		this.rowLocks = locks;
		return this;
	}

	void doSomething() {
		switch (this.random.nextInt(12)) {
			case 0, 1 -> this.enqueued.addAll(this.queue.enqueueAll(newJobs()));
			case 2 -> this.enqueued.add(this.queue.enqueue(newJob()));
			case 3 -> enqueueInTransaction();
			case 4, 5, 6 -> work();
			case 7 -> handleInTransaction();
			case 8 -> cancel();
			case 9 -> this.queue.redrive((this.random.nextBoolean()) ? QUEUE : null, null);
			case 10 -> cleanUp();
			default -> look();
		}
	}

	private List<NewJob> newJobs() {
		return IntStream.range(0, 1 + this.random.nextInt(BATCH)).mapToObj((number) -> newJob()).toList();
	}

	private NewJob newJob() {
		NewJob job = NewJob.of(ChaosWorker.LEDGER, Producer.payload("any", 0));
		return (this.random.nextInt(3) == 0) ? job.uniqueKey("key-" + this.random.nextInt(KEYS)) : job;
	}

	/** As an application does that writes something else as well. */
	private void enqueueInTransaction() {
		try {
			List<Long> ids = this.transaction.execute((status) -> {
				List<Long> first = new ArrayList<>(this.queue.enqueueAll(newJobs()));
				this.sql.queryForList("SELECT COUNT(*) FROM ledger");
				first.add(this.queue.enqueue(newJob()));
				return first;
			});
			this.enqueued.addAll(ids);
		}
		catch (TransientDataAccessException ex) {
			this.failedTransactions++;
		}
	}

	private List<Claim> claim() {
		ReadyRange range = new ReadyRange(QUEUE, NewJob.DEFAULT_PRIORITY, 0,
				(this.random.nextInt(4) == 0) ? Degree.FIRST : Degree.NONE, false, Duration.ZERO, this.mode);
		List<ClaimedJob> jobs = this.store
			.claim(ClaimRequests.any(this.session, List.of(range), BATCH, Deadlines.always(Duration.ofMinutes(1))));
		jobs.stream().filter(ClaimedJob::isRowLock).forEach(this::runLocked);
		return jobs.stream().filter((job) -> !job.isRowLock()).map(ClaimedJob::claim).toList();
	}

	/** As a worker does with a job of a row-lock queue. */
	private void runLocked(ClaimedJob job) {
		try {
			this.transaction.executeWithoutResult((status) -> {
				RowLocks.Hold hold = this.rowLocks.begin(job, Duration.ofMinutes(1));
				if (hold == null) {
					status.setRollbackOnly();
					return;
				}
				switch (this.random.nextInt(6)) {
					case 0 -> hold.claim(Duration.ofMinutes(1));
					case 1 -> status.setRollbackOnly(); // as one that lost its connection
					default -> {
						this.effects.leave(Effects.LEDGER, job.claim(), 1);
						assertThat(hold.ack()).isTrue();
						TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

							@Override
							public void afterCommit() {
								CrowdMember.this.won.add(job.claim());
								CrowdMember.this.posted.add(job.claim());
							}

						});
					}
				}
			});
			if (this.store.heldBy(this.session, true).contains(job.claim())) {
				finish(List.of(anyFinish(job.claim())));
			}
		}
		catch (TransientDataAccessException ex) {
			this.failedTransactions++;
		}
	}

	private void work() {
		List<Finish> finishes = claim().stream().map(this::anyFinish).toList();
		if (this.random.nextInt(6) == 0) {
			return; // as one that died would
		}
		finish(finishes);
	}

	private void finish(List<Finish> finishes) {
		Set<Claim> stale = this.store.finish(finishes);
		finishes.stream()
			.filter((finish) -> finish instanceof Finish.Ack && !stale.contains(finish.claim()))
			.forEach((ack) -> this.won.add(ack.claim()));
	}

	private Finish anyFinish(Claim claim) {
		return switch (this.random.nextInt(7)) {
			case 0 -> new Finish.Retry(claim, Duration.ZERO, failure());
			case 1 -> new Finish.Release(claim, Duration.ZERO);
			case 2 -> new Finish.DeadLetter(claim, failure());
			case 3 -> new Finish.Rescue(claim, failure());
			default -> new Finish.Ack(claim);
		};
	}

	private static Failure failure() {
		return Failure.of(1, "crowd", "It failed");
	}

	private void handleInTransaction() {
		for (Claim claim : claim()) {
			try {
				boolean acked = Boolean.TRUE.equals(this.transaction.execute((status) -> {
					this.effects.leave(Effects.LEDGER, claim, 1);
					boolean current = this.store.ackInTransaction(claim, false);
					if (!current) {
						status.setRollbackOnly();
					}
					return current;
				}));
				if (acked) {
					this.won.add(claim);
					this.posted.add(claim);
				}
			}
			catch (TransientDataAccessException ex) {
				this.failedTransactions++;
			}
		}
	}

	private void cancel() {
		for (long id : this.sql.queryForList("SELECT id FROM jobqueue_job WHERE MOD(id, 7) = ? LIMIT 3", Long.class,
				this.random.nextInt(7))) {
			if (this.queue.cancel(id)) {
				this.cancelled.add(id);
			}
		}
	}

	private void cleanUp() {
		for (JobState state : List.of(JobState.SUCCEEDED, JobState.CANCELLED)) {
			Pruning.prune(this.store, state, Duration.ZERO, BATCH);
		}
		this.store.pruneUniqueKeys(null, BATCH);
		this.store.expire(null, BATCH);
		this.rowLocks.freeLost();
		this.store.finish(this.store.overdue(0, BATCH)
			.stream()
			.map(OverdueJob::claim)
			.filter((claim) -> claim.id() % 3 == this.random.nextInt(3))
			.map((claim) -> new Finish.Rescue(claim, failure()))
			.toList());
	}

	private void look() {
		this.store.ready(0, Set.of(), false).ranges();
		this.store.heldBy(this.session, false);
		if (!this.enqueued.isEmpty()) {
			this.queue.find(this.enqueued.get(this.random.nextInt(this.enqueued.size())));
		}
		this.queue.pause("other-" + this.random.nextInt(3));
		this.queue.resume("other-" + this.random.nextInt(3));
	}

}
