package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.List;

import io.jobqueue.QueueMode;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.test.LogLines;
import io.jobqueue.worker.WorkerSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which ranges a worker serves.
 */
class ServedRangesTests {

	private static final ReadyRange STANDARD = range("slow", Degree.NONE, QueueMode.STANDARD);

	private static final ReadyRange ROW_LOCK = range("slow", Degree.NONE, QueueMode.ROW_LOCK);

	private static final ReadyRange OTHER = range("other", Degree.NONE, QueueMode.STANDARD);

	private static ReadyRange range(String queue, Degree degree, QueueMode mode) {
		return new ReadyRange(queue, 4, 0, degree, false, Duration.ZERO, mode);
	}

	@Test
	void thoseOfAnyModeIfItMay() {
		assertThat(new ServedRanges(WorkerSettings.named("any")).of(List.of(ROW_LOCK, OTHER))).containsExactly(ROW_LOCK,
				OTHER);
	}

	/** Suspects are claimed, but run in a transaction as well. */
	@Test
	void noneOfARowLockQueueIfItMustNot() {
		ServedRanges served = new ServedRanges(WorkerSettings.named("any").withRowLockProblem("too small"));
		ReadyRange suspects = range("slow", Degree.FIRST, QueueMode.ROW_LOCK);
		assertThat(served.of(List.of(suspects, OTHER))).containsExactly(OTHER);
		assertThat(served.leftOut()).containsExactly("slow");
	}

	@Test
	void itSaysOnceWhichItLeavesOut() {
		ServedRanges served = new ServedRanges(WorkerSettings.named("any").withRowLockProblem("too small"));
		try (LogLines lines = LogLines.of(ServedRanges.class)) {
			served.of(List.of(ROW_LOCK));
			served.of(List.of(OTHER));
			assertThat(served.leftOut()).as("it has no jobs now").containsExactly("slow");
			served.of(List.of(ROW_LOCK));
			assertThat(lines.messages()).hasSize(1);
			assertThat(served.of(List.of(STANDARD))).containsExactly(STANDARD);
			assertThat(served.leftOut()).isEmpty();
			served.of(List.of(ROW_LOCK));
			assertThat(lines.messages()).hasSize(2);
		}
	}

}
