package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.Random;

import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.AttemptEvents;
import io.jobqueue.worker.attempt.Capacity;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.session.WorkerSession;
import io.jobqueue.worker.thread.WakeUp;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PollLoopTests {

	private static final Duration HEARTBEAT = Duration.ofMillis(1);

	private final WakeUp wakeUp = new WakeUp();

	private final HeldAttempts held = new HeldAttempts((result) -> {
	}, new AttemptEvents(new WorkerListener() {
	}, new Capacity(WorkerSettings.Slots.DEFAULT, System::nanoTime), this.wakeUp), System::nanoTime);

	private final WorkerSession session = new WorkerSession(null, null, Duration.ofSeconds(1), () -> 0, () -> {
	}, System::nanoTime);

	/**
	 * What is done between two rounds, and works, does not tell whether polling does.
	 */
	@Test
	void isFailingUntilARoundSucceeds() throws InterruptedException {
		Reconciliation reconciliation = new Reconciliation(null, null, this.held, this.session, HEARTBEAT,
				System::nanoTime);
		PollRound failing = new PollRound(null, null, null, null, null, null);
		PollLoop loop = new PollLoop(failing, reconciliation, this.wakeUp, HEARTBEAT, System::nanoTime, new Random(1));
		for (int round = 0; round < 3; round++) {
			assertThat(loop.step()).isTrue();
			assertThat(loop.isFailing()).isTrue();
		}
	}

}
