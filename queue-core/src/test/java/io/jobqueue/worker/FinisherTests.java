package io.jobqueue.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

class FinisherTests {

	/**
	 * Who watches the attempts hands over results too, and must not be kept from
	 * enforcing timeouts by a database that is slow.
	 */
	@Test
	void handingOverAResultDoesNotBlock() {
		WorkerSettings.Slots slots = WorkerSettings.Slots.DEFAULT;
		Node node = new Node(null, new HeldJobs(), new Slots(slots), new Room(slots, System::nanoTime),
				new AtomicInteger(), new WakeUp(), new Random(1), System::nanoTime);
		Finisher finisher = new Finisher(null, node, slots, new WorkerListener() {
		});
		ClaimedJob job = new ClaimedJob(new Claim(1, 1), "any", "default", 1, 0, Duration.ZERO, Suspicion.NONE,
				Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false));
		Attempt attempt = new Attempt(job, null, 0);
		assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
			for (int i = 0; i < slots.concurrency() + slots.prefetch(); i++) {
				finisher.add(Report.release(attempt));
			}
		});
	}

}
