package io.jobqueue.dashboard.api;

import java.time.Instant;
import java.util.List;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.QueueMode;
import io.jobqueue.WaitReason;
import io.jobqueue.store.Queues;
import io.jobqueue.store.WorkerSessions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Why a job that is ready has not started.
 */
class ReasonsTests {

	private static Job job(JobState state, int crashes, @Nullable WaitReason waitsFor) {
		return new Job(1, "charge", "mail", state, 4, 0, 10, crashes, null, Instant.EPOCH, Instant.EPOCH, null, null,
				null, null, null, null, null, waitsFor);
	}

	private static final Job READY = job(JobState.READY, 0, null);

	private static WorkerSessions.Session worker(int busy, List<String> queues, String... types) {
		return new WorkerSessions.Session(1, "worker", 2, busy, queues, List.of(types), Instant.EPOCH, Instant.EPOCH);
	}

	private static List<String> reasons(Job job, WorkerSessions.Session... workers) {
		return Reasons.of(job, List.of(), List.of(workers));
	}

	@Test
	void thereMayBeNone() {
		assertThat(reasons(READY, worker(1, List.of(), "charge"))).isEmpty();
		assertThat(reasons(job(JobState.RUNNING, 0, null))).as("it runs").isEmpty();
	}

	@Test
	void nobodyMayBeThereToRunIt() {
		assertThat(reasons(READY)).containsExactly("No worker is alive.");
		assertThat(reasons(READY, worker(0, List.of("slow"), "charge")))
			.containsExactly("No live worker serves its queue.");
		assertThat(reasons(READY, worker(0, List.of("slow"), "charge"), worker(0, List.of("mail"), "any")))
			.containsExactly("No live worker that serves its queue has a handler for its type.");
		assertThat(reasons(READY, worker(0, List.of("slow"), "charge"), worker(2, List.of("mail"), "charge")))
			.containsExactly("All slots of the workers that could run it are busy.");
	}

	@Test
	void itsQueueMayBePaused() {
		Queues.Depth paused = Queues.Depth.empty("mail", true, false, QueueMode.STANDARD);
		Queues.Depth other = Queues.Depth.empty("slow", true, false, QueueMode.STANDARD);
		List<WorkerSessions.Session> workers = List.of(worker(0, List.of(), "charge"));
		assertThat(Reasons.of(READY, List.of(paused, other), workers)).containsExactly("Its queue is paused.");
		assertThat(Reasons.of(READY, List.of(other), workers)).isEmpty();
	}

	@Test
	void aLimitOrSuspicionMayBeWhy() {
		Job suspect = job(JobState.READY, 1, new WaitReason(WaitReason.Kind.LIMIT, "partner", null));
		assertThat(reasons(suspect, worker(0, List.of(), "charge"))).hasSize(2)
			.anySatisfy((reason) -> assertThat(reason).contains("limit"))
			.anySatisfy((reason) -> assertThat(reason).contains("suspicion"));
	}

}
