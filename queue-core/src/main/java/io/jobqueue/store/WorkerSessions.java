package io.jobqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The worker sessions. A session ends when its row is deleted, not when it is old.
 */
public interface WorkerSessions {

	/**
	 * Opens a session.
	 * @param session what others may see of the worker
	 * @param timeout how long it lives without a heartbeat
	 * @return its id
	 */
	long open(NewSession session, Duration timeout);

	/**
	 * Prolongs a session, on a connection that nothing else uses and that does not wait
	 * longer than the timeout.
	 * @param sessionId the session
	 * @param busy how many slots are busy
	 * @param timeout how long it lives from now on
	 * @return false if it has ended
	 */
	boolean heartbeat(long sessionId, int busy, Duration timeout);

	/**
	 * Ends a session. Ending one that has ended changes nothing.
	 * @param sessionId the session
	 */
	void close(long sessionId);

	/**
	 * Ends the sessions that have had no heartbeat for their timeout.
	 * @return the names of their workers
	 */
	List<String> endExpired();

	/**
	 * Lists the sessions. One plain read.
	 * @return the sessions, by id
	 */
	List<Session> list();

	/**
	 * Gives the heartbeats' connection back.
	 */
	void disconnect();

	/**
	 * What others may see of a worker.
	 *
	 * @param worker its name
	 * @param slots how many attempts it runs at once
	 * @param queues the queues it serves; empty for all
	 * @param types the job types it has handlers for
	 */
	record NewSession(String worker, int slots, List<String> queues, List<String> types) {

	}

	/**
	 * A session as it stands in the database.
	 *
	 * @param id its id
	 * @param worker the worker's name
	 * @param slots how many attempts it runs at once
	 * @param busy how many it ran at the last heartbeat
	 * @param queues the queues it serves; empty for all
	 * @param types the job types it has handlers for
	 * @param startedAt when it was opened
	 * @param heartbeatAt when it was last prolonged
	 */
	record Session(long id, String worker, int slots, int busy, List<String> queues, List<String> types,
			Instant startedAt, Instant heartbeatAt) {

	}

}
