package io.jobqueue.store;

/**
 * The quarantine of the cluster: the right to claim nothing until a worker is empty, for
 * jobs that need an empty worker. One session has it at a time. Nobody waits for it.
 */
public interface QuarantineStore {

	/**
	 * Takes the quarantine for a session.
	 * @param sessionId the session
	 * @return whether the session has it now; false if another has it, or just asks for
	 * it
	 */
	boolean enterQuarantine(long sessionId);

	/**
	 * Gives the quarantine back, if the session has it.
	 * @param sessionId the session
	 * @return false if that is to be tried again, because somebody just uses it
	 */
	boolean leaveQuarantine(long sessionId);

}
