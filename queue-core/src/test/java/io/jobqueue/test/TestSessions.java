package io.jobqueue.test;

import java.util.List;
import java.util.Map;

import io.jobqueue.store.WorkerSessions;

/**
 * What tests do with worker sessions.
 */
public final class TestSessions {

	private TestSessions() {
	}

	/**
	 * Ends the sessions that have expired, as rescue does.
	 * @param sessions the sessions
	 * @return the names of their workers
	 */
	public static List<String> endExpired(WorkerSessions sessions) {
		WorkerSessions.Expired expired = sessions.expired();
		return expired.workers()
			.entrySet()
			.stream()
			.filter((session) -> sessions.endExpired(session.getKey(), expired.now().plusMinutes(1)))
			.map(Map.Entry::getValue)
			.toList();
	}

}
