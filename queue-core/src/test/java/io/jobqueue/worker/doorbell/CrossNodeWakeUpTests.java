package io.jobqueue.worker.doorbell;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.NewJob;
import io.jobqueue.store.Doorbell;
import io.jobqueue.store.EnqueuedJob;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the doorbell is rung, and what a ring does.
 */
class CrossNodeWakeUpTests {

	private final Semaphore rung = new Semaphore(0);

	private final LinkedBlockingQueue<Boolean> rings = new LinkedBlockingQueue<>();

	private final AtomicInteger failingRings = new AtomicInteger();

	private final AtomicInteger failingWaits = new AtomicInteger();

	private final Semaphore woken = new Semaphore(0);

	private final Set<String> ended = ConcurrentHashMap.newKeySet();

	private final CrossNodeWakeUp wakeUp = new CrossNodeWakeUp(FakeDoorbell::new, this.woken::release);

	@BeforeEach
	void start() {
		this.wakeUp.start();
	}

	@AfterEach
	void stop() {
		this.rings.add(false);
		this.wakeUp.stop();
		assertThat(this.ended).as("each thread gives up its connection").contains("waiting", "ringing");
		assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.noneMatch((name) -> name.startsWith("jobqueue-doorbell"));
	}

	private static List<EnqueuedJob> enqueued(NewJob job) {
		return List.of(new EnqueuedJob(job, null));
	}

	private boolean isRung() throws InterruptedException {
		return this.rung.tryAcquire(10, TimeUnit.SECONDS);
	}

	@Test
	void jobsThatAreDueRing() throws InterruptedException {
		this.wakeUp.enqueued(enqueued(NewJob.of("any")));
		assertThat(isRung()).isTrue();
		this.wakeUp.enqueued(enqueued(NewJob.of("any").availableAt(Instant.now().minusSeconds(1))));
		assertThat(isRung()).isTrue();
	}

	@Test
	void jobsThatAreNotDueDoNot() throws InterruptedException {
		this.wakeUp.enqueued(enqueued(NewJob.of("any").delay(Duration.ofMinutes(1))));
		this.wakeUp.enqueued(enqueued(NewJob.of("any").availableAt(Instant.now().plusSeconds(60))));
		assertThat(this.rung.tryAcquire(100, TimeUnit.MILLISECONDS)).isFalse();
	}

	@Test
	void soDoRedrivenJobsAndAQueueThatIsResumedButNotOneThatIsPaused() throws InterruptedException {
		this.wakeUp.becameReady();
		assertThat(isRung()).isTrue();
		this.wakeUp.paused("any", false);
		assertThat(isRung()).isTrue();
		this.wakeUp.paused("any", true);
		assertThat(this.rung.tryAcquire(100, TimeUnit.MILLISECONDS)).isFalse();
	}

	@Test
	void aRingWakesTheWorkerAndAWaitThatEndsWithoutOneDoesNot() throws InterruptedException {
		this.rings.add(false);
		this.rings.add(true);
		assertThat(this.woken.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
		Awaitility.await().until(this.rings::isEmpty);
		assertThat(this.woken.tryAcquire(100, TimeUnit.MILLISECONDS)).isFalse();
	}

	@Test
	void whoHasNotRungForASecondGivesTheConnectionBack() {
		Awaitility.await().until(() -> this.ended.contains("ringing"));
	}

	@Test
	void aRingThatFailedIsNotTheLast() throws InterruptedException {
		this.failingRings.set(1);
		this.wakeUp.becameReady();
		Awaitility.await().until(() -> this.failingRings.get() == 0);
		assertThat(this.rung.tryAcquire()).as("that ring failed").isFalse();
		this.wakeUp.becameReady();
		assertThat(isRung()).isTrue();
	}

	@Test
	void aWaitThatFailedIsNotTheLast() throws InterruptedException {
		this.failingWaits.set(1);
		this.rings.add(false);
		Awaitility.await().until(() -> this.failingWaits.get() == 0);
		this.rings.add(true);
		assertThat(this.woken.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void canBeStartedAgain() throws InterruptedException {
		this.rings.add(false);
		this.wakeUp.stop();
		assertThat(this.wakeUp.isRunning()).isFalse();
		this.wakeUp.start();
		this.wakeUp.becameReady();
		assertThat(isRung()).isTrue();
	}

	private final class FakeDoorbell implements Doorbell {

		@Override
		public boolean await(Duration most) {
			fail(CrossNodeWakeUpTests.this.failingWaits);
			try {
				Boolean ring = CrossNodeWakeUpTests.this.rings.poll(most.toMillis(), TimeUnit.MILLISECONDS);
				return ring != null && ring;
			}
			catch (InterruptedException ex) {
				throw new DataAccessResourceFailureException("Interrupted", ex);
			}
		}

		@Override
		public void ring() {
			fail(CrossNodeWakeUpTests.this.failingRings);
			CrossNodeWakeUpTests.this.rung.release();
		}

		private static void fail(AtomicInteger failures) {
			if (failures.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
				throw new DataAccessResourceFailureException("for a test");
			}
		}

		@Override
		public void endWaiting() {
			CrossNodeWakeUpTests.this.ended.add("waiting");
		}

		@Override
		public void endRinging() {
			CrossNodeWakeUpTests.this.ended.add("ringing");
		}

	}

}
