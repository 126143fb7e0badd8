package io.jobqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;

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
	 * Lists the sessions that have had no heartbeat for their timeout, by the database's
	 * clock. One plain read.
	 * @return the sessions, and the time by which they have expired
	 */
	Expired expired();

	/**
	 * Ends a session if it is still expired, and the database's clock has not jumped
	 * meanwhile.
	 * @param sessionId the session
	 * @param notAfter the latest that clock can show, in UTC
	 * @return whether this call ended it
	 */
	boolean endExpired(long sessionId, LocalDateTime notAfter);

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
	 * The sessions that have expired.
	 *
	 * @param now the database's clock, in UTC
	 * @param workers the names of their workers, by session
	 */
	record Expired(LocalDateTime now, Map<Long, String> workers) {

	}

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
