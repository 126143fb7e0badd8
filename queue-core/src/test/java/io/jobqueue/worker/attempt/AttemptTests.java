package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.Handler;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Who may end an attempt.
 */
class AttemptTests {

	private static Attempt attempt() {
		ClaimedJob job = new ClaimedJob(new Claim(1, 1, 1), "type",
				new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO), 1, 0, Duration.ZERO, Suspicion.NONE,
				Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false));
		return new Attempt(job, new Handler("type", (payload, context) -> {
		}, RetryPolicy.DEFAULT, Duration.ofSeconds(1), false), 0);
	}

	@Test
	void whatWasDroppedDoesNotStart() {
		Attempt attempt = attempt();
		assertThat(attempt.drop()).isTrue();
		assertThat(attempt.start(0)).isFalse();
		assertThatIllegalStateException().as("it does not wait for ever").isThrownBy(attempt::finish);
	}

	@Test
	void whatHasStartedIsNotDropped() {
		Attempt attempt = attempt();
		assertThat(attempt.start(0)).isTrue();
		assertThat(attempt.drop()).isFalse();
	}

	@Test
	void aThreadThatHasBegunToFinishIsNeverInterrupted() throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(2);
		try {
			for (int round = 0; round < 2000; round++) {
				Attempt attempt = attempt();
				CyclicBarrier barrier = new CyclicBarrier(2);
				Future<InterruptReason> finished = executor.submit(() -> {
					attempt.start(0);
					barrier.await();
					InterruptReason reason = attempt.finish();
					for (int i = 0; i < 100; i++) {
						assertThat(Thread.currentThread().isInterrupted()).isFalse();
					}
					return reason;
				});
				Future<Boolean> interrupted = executor.submit(() -> {
					barrier.await();
					return attempt.interrupt(InterruptReason.TIMEOUT, 0);
				});
				assertThat(finished.get() == InterruptReason.TIMEOUT).isEqualTo(interrupted.get());
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	@Test
	void anAbandonedAttemptCannotFinish() {
		Attempt attempt = attempt();
		attempt.start(0);
		assertThat(attempt.abandon()).as("only after an interrupt").isFalse();
		attempt.interrupt(InterruptReason.TIMEOUT, 0);
		assertThat(attempt.abandon()).isTrue();
		assertThatExceptionOfType(AbandonedException.class).isThrownBy(attempt::finish);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void theTimeoutCountsFromTheStartAndNotFromTheClaim() {
		Attempt attempt = attempt();
		long start = Duration.ofMinutes(5).toNanos();
		assertThat(attempt.isTimedOut(start)).isFalse();
		attempt.start(start);
		assertThat(attempt.isTimedOut(start + Duration.ofMillis(999).toNanos())).isFalse();
		assertThat(attempt.isTimedOut(start + Duration.ofMillis(1001).toNanos())).isTrue();
	}

}
