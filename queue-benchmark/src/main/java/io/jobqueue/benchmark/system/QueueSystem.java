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
	 * Enqueues many jobs with a payload of their own size.
	 * @param jobs how many
	 * @param payload the payload of each, as JSON
	 */
	default void enqueueAll(int jobs, String payload) {
		throw new UnsupportedOperationException("it is measured with its usual payload only");
	}

	/**
	 * Enqueues many jobs that run in order, as many of each key.
	 * @param jobs how many
	 * @param keys how many keys
	 */
	default void enqueueInOrder(int jobs, int keys) {
		throw new UnsupportedOperationException("it has no order by key");
	}

	/**
	 * Limits jobs from now on.
	 * @param limited which ones, and how
	 */
	default void limit(Limited limited) {
		throw new UnsupportedOperationException("it has no limits");
	}

	/**
	 * Enqueues many jobs that are limited.
	 * @param limited in which way
	 * @param jobs how many
	 * @param keys how many limit keys they have, as many jobs of each; 0 for none
	 */
	default void enqueueLimited(Limited limited, int jobs, int keys) {
		throw new UnsupportedOperationException("it has no limits");
	}

	/**
	 * Fills the tables with more than the jobs that are measured.
	 * @param backlog with what
	 */
	default void fill(Backlog backlog) {
		throw new UnsupportedOperationException("it has other tables");
	}

	/**
	 * Saves recurring jobs, all of them due at each full minute.
	 * @param count how many
	 */
	default void schedule(int count) {
		throw new UnsupportedOperationException("it has no recurring jobs");
	}

	/**
	 * Begins to redrive all dead jobs in the background, once it was started.
	 * @param paused whether their queue is paused
	 */
	default void redriveAll(boolean paused) {
		throw new UnsupportedOperationException("it does not redrive in the background");
	}

	/**
	 * How many jobs were redriven in the background.
	 * @return the number so far
	 */
	default long redriven() {
		throw new UnsupportedOperationException("it does not redrive in the background");
	}

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

	/**
	 * What has gone wrong on this node.
	 * @return the counts since the system was made ready; also after it was closed
	 */
	default Incidents incidents() {
		throw new UnsupportedOperationException("it does not tell what goes wrong");
	}

	@Override
	void close();

}
