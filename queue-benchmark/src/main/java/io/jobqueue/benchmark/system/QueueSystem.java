package io.jobqueue.benchmark.system;

/**
 * A job queue that is measured. What one cannot do it says by
 * {@link UnsupportedOperationException}.
 */
public interface QueueSystem extends AutoCloseable {

	/** A payload of 100 bytes, as JSON. */
	String PAYLOAD = "{\"orderId\":42,\"customer\":\"ada@example.org\",\"items\":[\"tea\",\"cup\"],\"total\":\"19.90\",\"note\":\""
			+ "x".repeat(17) + "\"}";

	/**
	 * Creates the tables in a database that is empty.
	 */
	void createTables();

	/**
	 * Enqueues many jobs as fast as the system can.
	 * @param jobs how many
	 */
	void enqueueAll(int jobs);

	/**
	 * Enqueues one job in a transaction of its own.
	 * @return its id, or 0 if it has no number
	 */
	long enqueueOne();

	/**
	 * Starts one worker.
	 * @param work what its handlers do
	 */
	void start(Work work);

	/**
	 * Whether any job has not been completed, and that committed, in the database.
	 * @return true if so
	 */
	boolean hasUnfinished();

	@Override
	void close();

}
