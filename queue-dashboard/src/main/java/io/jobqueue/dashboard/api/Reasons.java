package io.jobqueue.dashboard.api;

import java.util.ArrayList;
import java.util.List;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.WaitReason;
import io.jobqueue.store.Queues;
import io.jobqueue.store.WorkerSessions;

/**
 * Why a job that is ready has not started.
 */
final class Reasons {

	private Reasons() {
	}

	/**
	 * Finds them.
	 * @param job the job
	 * @param queues the queues, as they were measured
	 * @param workers the live workers
	 * @return in words; nothing if the job is not ready, or nothing is known
	 */
	static List<String> of(Job job, List<Queues.Depth> queues, List<WorkerSessions.Session> workers) {
		List<String> reasons = new ArrayList<>();
		if (job.state() != JobState.READY) {
			return reasons;
		}
		if (queues.stream().anyMatch((queue) -> queue.queue().equals(job.queue()) && queue.paused())) {
			reasons.add("Its queue is paused.");
		}
		List<WorkerSessions.Session> serving = workers.stream()
			.filter((worker) -> worker.queues().isEmpty() || worker.queues().contains(job.queue()))
			.toList();
		List<WorkerSessions.Session> able = serving.stream()
			.filter((worker) -> worker.types().contains(job.type()))
			.toList();
		if (workers.isEmpty()) {
			reasons.add("No worker is alive.");
		}
		else if (serving.isEmpty()) {
			reasons.add("No live worker serves its queue.");
		}
		else if (able.isEmpty()) {
			reasons.add("No live worker that serves its queue has a handler for its type.");
		}
		else if (able.stream().allMatch((worker) -> worker.busy() >= worker.slots())) {
			reasons.add("All slots of the workers that could run it are busy.");
		}
		if (job.waitingFor().filter((waits) -> waits.kind() == WaitReason.Kind.LIMIT).isPresent()) {
			reasons.add("Its type has a limit, which may have no room.");
		}
		if (job.crashes() > 0) {
			reasons.add(
					"It is under suspicion, since workers died while they ran it, so few other jobs may run beside it.");
		}
		return reasons;
	}

}
