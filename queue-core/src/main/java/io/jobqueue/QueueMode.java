package io.jobqueue;

/**
 * How the jobs of a queue are kept from running twice. Set by
 * {@code jobqueue.queues.<name>.mode}.
 */
public enum QueueMode {

	/**
	 * Workers claim jobs in batches, each by one update, and write results in batches. A
	 * job whose worker died comes back when the worker's session expires.
	 */
	STANDARD,

	/**
	 * A job's row stays locked, in its handler's transaction, while the handler runs.
	 * What the handler writes in that transaction is committed with the end of the job. A
	 * job whose worker died is free as soon as the server sees that the connection is
	 * closed. The price is a connection for each job that runs, and two commits a job;
	 * and a job that runs can be neither cancelled nor rescheduled.
	 */
	ROW_LOCK

}
