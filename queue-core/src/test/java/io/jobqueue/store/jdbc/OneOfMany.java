package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.store.ApplicationStore.DeadJob;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.Pruning;

/**
 * One of a crowd that does everything that can be done with a queue, in random order.
 */
final class OneOfMany {

	private final int number;

	private final Random random;

	private final JdbcJobStore store;

	private final JdbcQueues queues;

	private final Rows rows;

	private final Map<Long, AtomicInteger> acks;

	/**
	 * Creates one of the crowd.
	 * @param number which one; also its session and the seed of what it does
	 * @param store the store
	 * @param queues the queues
	 * @param rows the tables
	 * @param acks where the acks that were accepted are counted, by job
	 */
	OneOfMany(int number, JdbcJobStore store, JdbcQueues queues, Rows rows, Map<Long, AtomicInteger> acks) {
		this.number = number;
		this.random = new Random(number);
		this.store = store;
		this.queues = queues;
		this.rows = rows;
		this.acks = acks;
	}

	void doSomething() {
		switch (this.random.nextInt(9)) {
			case 0, 1 -> enqueue();
			case 2, 3, 4 -> work();
			case 5 -> anyLive().forEach(this.store::cancel);
			case 6 -> this.store
				.redrive(this.store.dead(null, null, null, StoreTests.LATEST, 5).stream().map(DeadJob::id).toList());
			case 7 -> cleanUp();
			default -> look();
		}
	}

	private void enqueue() {
		this.store.enqueue(IntStream.range(0, 1 + this.random.nextInt(8)).mapToObj((i) -> anyJob()).toList());
		NewJob unique = NewJob.of("any").uniqueKey("key-" + this.random.nextInt(5));
		this.store.enqueue(List.of(new EnqueuedJob(unique, null)));
	}

	private EnqueuedJob anyJob() {
		NewJob job = NewJob.of("any");
		return new EnqueuedJob((this.random.nextInt(6) == 0) ? job.expiresAfter(Duration.ofMillis(1)) : job,
				(this.random.nextInt(5) == 0) ? "x".repeat(5_000) : "small");
	}

	private void work() {
		List<ClaimedJob> jobs = this.store.claim(ClaimRequests.any(this.number + 1L,
				List.of(StoreTests.range("default", 4)), 10, Deadlines.always(Duration.ofMinutes(1))));
		List<Finish> finishes = new ArrayList<>();
		jobs.forEach((job) -> finishes.add(anyFinish(job.claim())));
		if (this.random.nextInt(4) == 0) {
			return; // as one that died would
		}
		Set<Claim> stale = this.store.finish(finishes);
		finishes.stream()
			.filter((finish) -> finish instanceof Finish.Ack && !stale.contains(finish.claim()))
			.forEach((ack) -> this.acks.computeIfAbsent(ack.claim().id(), (id) -> new AtomicInteger())
				.incrementAndGet());
	}

	private Finish anyFinish(Claim claim) {
		return switch (this.random.nextInt(7)) {
			case 0 -> new Finish.Retry(claim, Duration.ZERO, StoreTests.failure());
			case 1 -> new Finish.Release(claim, Duration.ZERO);
			case 2 -> new Finish.DeadLetter(claim, StoreTests.failure());
			case 3 -> new Finish.Rescue(claim, StoreTests.failure());
			default -> new Finish.Ack(claim);
		};
	}

	private List<Long> anyLive() {
		return this.rows.sql("SELECT id FROM jobqueue_job WHERE MOD(id, 7) = :rest LIMIT 3")
			.param("rest", this.random.nextInt(7))
			.query(Long.class)
			.list();
	}

	private void cleanUp() {
		Pruning.prune(this.store, JobState.values()[this.random.nextInt(JobState.values().length)], Duration.ZERO, 5);
		this.store.pruneUniqueKeys(null, 5);
		this.store.expire(null, 5);
		this.store.finish(this.store.overdue(0, 10)
			.stream()
			.filter((job) -> job.claim().id() % 3 == this.random.nextInt(3))
			.map((job) -> new Finish.Rescue(job.claim(), StoreTests.failure()))
			.toList());
	}

	private void look() {
		this.store.ready(0, Set.of(), false).ranges();
		this.store.heldBy(this.number + 1L, false);
		anyLive().forEach((id) -> {
			this.store.find(id);
			this.store.payload(id);
		});
		this.queues.setPaused("other-" + this.random.nextInt(3), this.random.nextBoolean());
		this.queues.depths();
		this.queues.archived();
		this.queues.newestDead(3);
	}

}
