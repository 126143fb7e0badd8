package io.jobqueue.test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;

import io.jobqueue.Job;
import io.jobqueue.database.CallersConnection;
import io.jobqueue.database.Database;

/**
 * Runs jobs in a test, on the thread that calls it. No worker runs beside it: what is due
 * runs by {@link #runDue()}, and its effects are there when that returns.
 * <p>
 * In a test with a transaction open on the queue's DataSource all takes place in that
 * transaction: jobs are seen before they are committed, handlers work on the test's
 * connection, and all is rolled back in the end. The transaction of a transactional
 * handler is a savepoint then, with callbacks after commit of its own; what other
 * handlers begin is part of the test's transaction. Without a transaction handlers have
 * transactions as in production, which commit.
 * <p>
 * Timeouts do not interrupt, and no two jobs run at once. Each test thread has a clock
 * and faults of its own.
 */
public final class JobQueueTester {

	private final TesterParts parts;

	private final TesterSetup setup;

	private final TestTime time;

	private final TestThread thread;

	private final Owner owner;

	private final Faults faults = new Faults();

	JobQueueTester(TesterParts parts, TesterSetup setup, Owner owner, TestTime time, TestThread thread) {
		this.owner = owner;
		this.thread = thread;
		this.parts = parts;
		this.setup = setup;
		this.time = time;
	}

	/**
	 * Runs what is due, and what becomes due by that, one job after another, until
	 * nothing is due. Schedules whose time has come enqueue their jobs first. The queue's
	 * clock stands still meanwhile, so a job that fails does not run again before the
	 * clock is moved; see {@link #drain()}.
	 * @return the runs, in their order. A failed one does not fail the test:
	 * {@link JobRuns#assertNoneFailed()} does
	 * @throws IllegalStateException after more than 2,000 runs, which most often is a job
	 * that enqueues itself (if so many are right, call it again), if a schedule that is
	 * due cannot be fired, if another worker runs on the database, if a handler calls
	 * this, or if the database may not be there for tests alone, and the test commits or
	 * would run jobs of others: see {@link AutoConfigureJobQueue#testDatabase()}
	 */
	public JobRuns runDue() {
		return onNode(TestNode::runDue);
	}

	/**
	 * Runs what is due, then moves the clock to the time at which the next job is due,
	 * and so on until no job is left that can run: retries and delayed jobs included.
	 * Schedules tick on the way, but their next ticks are not waited for, nor the retries
	 * of jobs of ticks that came on the way.
	 * @return the runs, in their order
	 * @throws IllegalStateException as {@link #runDue()}
	 */
	public JobRuns drain() {
		return onNode(TestNode::drain);
	}

	private JobRuns onNode(Consumer<TestNode> work) {
		boolean inside = TestThread.isOpen(this.parts.node().database().callers());
		this.thread.enter(inside);
		try {
			this.owner.check(inside && Owner.rollsBack());
			this.time.fix(Times.now(database()), !inside);
			try (TestNode node = new TestNode(this.parts, this.setup, this.time, this.faults, inside)) {
				work.accept(node);
				return node.runs();
			}
		}
		finally {
			this.time.goOn(!inside);
			this.thread.leave();
		}
	}

	/**
	 * Moves the queue's clock forward, for this test; each begins at the present. Nothing
	 * runs by that. What applications ask the JVM's clock does not change. The threads of
	 * a worker that this test has started follow, or of one that the application has.
	 * @param by by how much; not negative
	 */
	public void advance(Duration by) {
		if (by.isNegative()) {
			throw new IllegalArgumentException("by must not be negative, but is " + by);
		}
		this.time.advance(by);
		if (this.setup.isWorkerFollowing()) {
			this.time.lead();
		}
	}

	/**
	 * The time by the queue's clock.
	 * @return the time
	 */
	public Instant now() {
		return Times.now(database()).toInstant(ZoneOffset.UTC);
	}

	/**
	 * Lets something go wrong with the next run whose handler succeeds. Asked for several
	 * times, one run after another has its fault.
	 * @param fault what goes wrong
	 */
	public void inject(Fault fault) {
		this.faults.add(fault);
	}

	/**
	 * The jobs that are ready, wait or run, in the order of their ids; not those that are
	 * dead or have succeeded. Payloads are as they are stored.
	 * @return the jobs
	 */
	public List<Job> enqueued() {
		return LiveJobs.of(database(), this.parts.node().stores().jobs());
	}

	/**
	 * Those of one type.
	 * @param type the type
	 * @return the jobs
	 */
	public List<Job> enqueued(String type) {
		return enqueued().stream().filter((job) -> job.type().equals(type)).toList();
	}

	/**
	 * Begins assertions on the jobs of a type that are enqueued and have not ended.
	 * @param type the type
	 * @return the assertions
	 * @throws AssertionError if there is none; the message names those of other types
	 */
	public EnqueuedJobsAssert assertThatEnqueued(String type) {
		return EnqueuedJobsAssert.of(type, enqueued(), this.setup.payloads(this.parts.handlers()));
	}

	/**
	 * Fails the test if any job of a type is enqueued and has not ended.
	 * @param type the type
	 * @throws AssertionError if there is one; the message names it
	 */
	public void assertThatNoneEnqueued(String type) {
		EnqueuedJobsAssert.none(type, enqueued(type));
	}

	/**
	 * Records of payloads, by which a test finds out whether jobs that an earlier release
	 * has enqueued can still be read.
	 * @param folder where the records are, as {@code src/test/resources/payloads}
	 * @return the records
	 */
	public PayloadRecords payloads(Path folder) {
		return this.setup.records(folder, this.parts.handlers());
	}

	/**
	 * Starts the application's worker, until the test ends: jobs run on its threads then,
	 * as soon as they are committed. For what takes more than one thread.
	 * @throws IllegalStateException as {@link #runDue()} in a test without a transaction
	 */
	public void startWorker() {
		this.owner.check(false);
		this.time.lead();
		this.setup.startWorker();
	}

	/**
	 * Stops the worker that this test has started, once it has ended what it runs.
	 */
	public void stopWorker() {
		if (this.setup.stopWorker() || this.setup.isWorkerOfNoTest()) {
			this.time.leadNoMore();
		}
	}

	/**
	 * Deletes all jobs, ended ones too, with history, audit, pauses, modes, keys and
	 * schedules, and commits that; not limits and job types. The schedules of the code
	 * are declared again. For tests without a transaction, on a database that is theirs
	 * alone.
	 * @throws IllegalStateException if a transaction is open, or as {@link #runDue()} in
	 * a test without one
	 */
	public void clear() {
		Database database = this.parts.node().database();
		if (database.callers().phase() != CallersConnection.Phase.NONE) {
			throw new IllegalStateException(
					"A test with a transaction rolls back what it has done, and clears nothing");
		}
		this.owner.check(false);
		Tables.clear(database);
		this.setup.declare(this.parts.node());
	}

	/**
	 * The database as this thread sees it now.
	 */
	private Database database() {
		return this.parts.node().database().ofCaller();
	}

	/**
	 * Begins a test, in its transaction if it has one.
	 */
	void begin() {
		this.setup.begin();
		this.faults.reset();
		this.time.begin();
		this.owner.begin();
	}

	/**
	 * Ends a test.
	 */
	void end() {
		stopWorker();
		this.setup.end();
		this.faults.reset();
		this.time.end();
	}

}
