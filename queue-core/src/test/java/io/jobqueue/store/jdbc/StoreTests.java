package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What the tests of the store have in common: a schema for each class and database, empty
 * before each test.
 */
abstract class StoreTests {

	/** A worker session that is not in its table; claims take its number as given. */
	static final long SESSION = 1_000_000_007;

	/** After everything that a test does. */
	static final LocalDateTime LATEST = LocalDateTime.of(9000, 1, 1, 0, 0);

	static final Duration DEADLINE = Duration.ofMinutes(10);

	private static TestSchema schema;

	@Parameter(0)
	TestDatabase testDatabase;

	Database database;

	JdbcJobStore store;

	JdbcQueues queues;

	Rows rows;

	@BeforeParameterizedClassInvocation
	static void createSchema(TestDatabase testDatabase) {
		assumeTrue(testDatabase.isAvailable(), testDatabase::whyNot);
		schema = testDatabase.create();
	}

	@AfterParameterizedClassInvocation
	static void dropSchema() {
		if (schema != null) {
			schema.close();
			schema = null;
		}
	}

	@BeforeEach
	void openStore() {
		this.database = new Database(dataSource());
		this.store = store(settings());
		this.queues = new JdbcQueues(this.database);
		this.rows = new Rows(this.database);
		this.rows.deleteAll();
	}

	static TestSchema schema() {
		return schema;
	}

	/**
	 * The pool that the store works on.
	 * @return the pool, open as long as the schema
	 */
	DataSource dataSource() {
		return schema.dataSource();
	}

	StoreSettings settings() {
		return StoreSettings.DEFAULT;
	}

	JdbcJobStore store(StoreSettings settings) {
		return new JdbcJobStore(this.database, settings);
	}

	static EnqueuedJob text(NewJob job) {
		return new EnqueuedJob(job, (String) job.payload());
	}

	long enqueue(NewJob job) {
		return this.store.enqueue(List.of(text(job))).ids().get(0);
	}

	List<Long> enqueueAll(List<NewJob> jobs) {
		return this.store.enqueue(jobs.stream().map(StoreTests::text).toList()).ids();
	}

	List<Long> enqueue(int jobs) {
		return enqueueAll(IntStream.range(0, jobs).mapToObj((number) -> NewJob.of("any", "p" + number)).toList());
	}

	/**
	 * Claims as a worker does: from all ranges that are due, the highest priority first.
	 * @param limit how many at most
	 * @return the jobs
	 */
	List<ClaimedJob> claim(int limit) {
		List<ReadyRange> due = this.store.ready(0, Set.of(), false)
			.ranges()
			.stream()
			.filter(ReadyRange::isDue)
			.sorted(Comparator.comparing(ReadyRange::isSuspect)
				.thenComparing(ReadyRange::priority, Comparator.reverseOrder()))
			.toList();
		return claim(due, limit);
	}

	List<ClaimedJob> claim(List<ReadyRange> ranges, int limit) {
		return this.store.claim(ClaimRequests.any(SESSION, ranges, limit, Deadlines.always(DEADLINE)));
	}

	List<Long> claimIds(int limit) {
		return claim(limit).stream().map((job) -> job.claim().id()).toList();
	}

	/**
	 * Enqueues a job and claims it. There must be no other.
	 * @param job the job
	 * @return its claim
	 */
	Claim claimed(NewJob job) {
		long id = enqueue(job);
		List<ClaimedJob> jobs = claim(2);
		if (jobs.size() != 1 || jobs.get(0).claim().id() != id) {
			throw new AssertionError("Claimed " + jobs + " instead of job " + id);
		}
		return jobs.get(0).claim();
	}

	Claim claimed() {
		return claimed(NewJob.of("any", "payload"));
	}

	/**
	 * Enqueues a job, claims it and makes it dead. There must be no other.
	 * @param job the job
	 * @return its id
	 */
	long dead(NewJob job) {
		Claim claim = claimed(job);
		this.store.finish(List.of(new Finish.DeadLetter(claim, failure())));
		return claim.id();
	}

	long succeeded(NewJob job) {
		Claim claim = claimed(job);
		this.store.finish(List.of(new Finish.Ack(claim)));
		return claim.id();
	}

	static Failure failure() {
		return new Failure(1, "java.lang.IllegalStateException", "It failed", "at some.Where");
	}

	static ReadyRange range(String queue, int priority) {
		return new ReadyRange(queue, priority, 0, Degree.NONE, false, Duration.ZERO);
	}

	TransactionTemplate transaction() {
		return transaction(dataSource());
	}

	static TransactionTemplate transaction(DataSource dataSource) {
		return new TransactionTemplate(new JdbcTransactionManager(dataSource));
	}

	/**
	 * Runs something in a transaction of the caller's.
	 * @param <T> what it returns
	 * @param work the work
	 * @return what it returned, committed
	 */
	<T> T inTransaction(Supplier<T> work) {
		return transaction().execute((status) -> work.get());
	}

}
