package io.jobqueue.dashboard.api;

import java.time.Instant;
import java.util.List;

import io.jobqueue.store.WorkerSessions;

/**
 * A live worker.
 */
record WorkerRow(String id, String name, int slots, int busy, List<String> queues, List<String> types,
		Instant startedAt, Instant heartbeatAt) {

	static WorkerRow of(WorkerSessions.Session session) {
		return new WorkerRow(Long.toString(session.id()), session.worker(), session.slots(), session.busy(),
				session.queues(), session.types(), session.startedAt(), session.heartbeatAt());
	}

}
