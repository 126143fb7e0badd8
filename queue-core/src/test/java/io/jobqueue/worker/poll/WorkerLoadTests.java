package io.jobqueue.worker.poll;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.OnDead;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.AttemptEnd;
import io.jobqueue.worker.attempt.AttemptEvents;
import io.jobqueue.worker.attempt.AttemptResult;
import io.jobqueue.worker.attempt.Capacity;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.MissedJobs;
import io.jobqueue.worker.attempt.JobSignals;
import io.jobqueue.worker.run.Slots;
import io.jobqueue.worker.thread.WakeUp;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many jobs a worker may claim.
 */
class WorkerLoadTests {

	private static final int SLOTS = 1000;

	private static final Duration RUN = Duration.ofSeconds(1);

	private final AtomicLong clock = new AtomicLong(1);

	private final WorkerSettings.Slots settings = WorkerSettings.Slots.DEFAULT.withConcurrency(SLOTS);

	private final Capacity capacity = new Capacity(this.settings, this.clock::get);

	private final WakeUp wakeUp = new WakeUp();

	private final HeldAttempts held = new HeldAttempts((result) -> {
	}, new AttemptEvents(new WorkerListener() {
	}, this.capacity, new JobSignals(System::nanoTime), this.wakeUp), this.clock::get);

	private final WorkerLoad load = new WorkerLoad(this.held, new MissedJobs(System::nanoTime),
			new Slots(this.settings, this.clock::get), this.capacity, this.wakeUp,
			new WorkerSettings.Shares(Map.of(), Map.of("capped", 3)));

	private long lastId;

	private List<Attempt> run(int jobs) {
		return run(jobs, "default");
	}

	private static ReadyRange range(String queue) {
		return new ReadyRange(queue, 4, 0, Degree.NONE, false, Duration.ZERO);
	}

	private List<Attempt> run(int jobs, String queue) {
		List<Attempt> attempts = new ArrayList<>();
		for (int i = 0; i < jobs; i++) {
			ClaimedJob job = new ClaimedJob(new Claim(++this.lastId, 1, 1), "any", range(queue), 1, 0, Duration.ZERO,
					Suspicion.NONE, Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false));
			Attempt attempt = new Attempt(job, new Handler("any", (payload, context) -> {
			}, RetryPolicy.DEFAULT, Duration.ZERO, false), this.clock.get());
			attempts.add(attempt);
			this.load.add(attempt);
			attempt.start(this.clock.get());
		}
		return attempts;
	}

	private void end(List<Attempt> attempts) {
		for (Attempt attempt : attempts) {
			attempt.finish();
			this.held.report(new AttemptResult(attempt, new Finish.Ack(attempt.claim()), false, RUN));
		}
	}

	private void commit(List<Attempt> attempts) {
		this.held.ended(attempts.stream().map((attempt) -> new AttemptEnd(attempt, Outcome.SUCCEEDED, RUN)).toList());
	}

	/** Each type has a chunk of its own, which takes a slot. */
	@Test
	void waitingJobsOfBatchHandlersTakeOneSlotForEachType() {
		for (String type : List.of("one", "one", "other")) {
			this.load.add(new Attempt(
					new ClaimedJob(new Claim(++this.lastId, 1, 1), type, range("capped"), 1, 0, Duration.ZERO,
							Suspicion.NONE, Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false)),
					new Handler(type, new Handler.ChunkInvocation() {

						@Override
						public Object read(String payload) {
							return payload;
						}

						@Override
						public void invoke(List<Handler.ChunkItem> items) {
							throw new UnsupportedOperationException();
						}

					}, RetryPolicy.DEFAULT, Duration.ZERO, false, OnDead.CONTINUE, "",
							new Handler.Chunks(100, Duration.ZERO)),
					this.clock.get()));
		}
		assertThat(this.load.shares().room("capped")).isOne();
	}

	@Test
	void aQueueThatRunsAsManyJobsAsItMayIsLeftOutUntilOneHasRun() {
		List<ReadyRange> ranges = List.of(range("capped"), range("default"));
		run(5);
		List<Attempt> two = run(2, "capped");
		assertThat(this.load.withRoom(ranges)).isEqualTo(ranges);
		assertThat(this.load.shares().room("capped")).isOne();
		assertThat(this.load.shares().room("default")).isEqualTo(Integer.MAX_VALUE);
		run(1, "capped");
		assertThat(this.load.withRoom(ranges)).containsExactly(range("default"));
		// A result that waits to be committed keeps no slot.
		end(two);
		assertThat(this.load.withRoom(ranges)).isEqualTo(ranges);
		assertThat(this.load.shares().room("capped")).isEqualTo(2);
	}

	/**
	 * A thousand slots run jobs of a second, of which fifty end in each commit.
	 */
	@Test
	void slotsThatAreFreeAreUsedThoughResultsWaitToBeCommitted() {
		for (int commits = 0; commits < 100; commits++) {
			List<Attempt> attempts = run(50);
			end(attempts);
			this.clock.addAndGet(Duration.ofMillis(50).toNanos());
			commit(attempts);
			this.load.now();
		}
		run(925);
		end(run(76));
		assertThat(this.load.now().room()).isEqualTo(SLOTS + 100 - 925);
	}

}
