package io.jobqueue.test;

/**
 * What can go wrong between the effects of a handler and the end of its job.
 */
public enum Fault {

	/**
	 * The handler has run and its job runs again, as when a worker was cut off from the
	 * database before it could say so. What a transactional handler has written is rolled
	 * back, and written by the second run.
	 */
	DELIVERED_TWICE,

	/**
	 * The process dies after the handler has run and before the end of the job (the ack)
	 * is committed. The job is rescued, the crash is counted, and the job runs again.
	 */
	CRASH_BEFORE_ACK,

	/**
	 * The job is cancelled while its handler runs. The handler's end comes too late: what
	 * a transactional handler has written is rolled back, and the job does not run again.
	 */
	STALE_ACK

}
