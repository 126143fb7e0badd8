package io.jobqueue.dashboard.api;

import java.util.List;

import io.jobqueue.store.WorkerSessions;

/**
 * The slots of all workers together.
 */
record Slots(int workers, int slots, int busy) {

	static Slots of(List<WorkerSessions.Session> sessions) {
		return new Slots(sessions.size(), sessions.stream().mapToInt(WorkerSessions.Session::slots).sum(),
				sessions.stream().mapToInt(WorkerSessions.Session::busy).sum());
	}

}
