package io.jobqueue;

import java.util.List;

/**
 * What a batch handler gets in one call: jobs of its type, as many as there are, up to
 * {@link JobHandler#batchSize()}. When the handler returns all of them have succeeded,
 * except those that it has marked as failed. Used by the thread of the handler only.
 *
 * @param <T> what the payloads are read as
 */
public interface JobBatch<T> {

	/**
	 * The jobs, in no particular order.
	 * @return at least one
	 */
	List<Entry<T>> entries();

	/**
	 * The payloads of the jobs.
	 * @return one for each of {@link #entries()}, in the same order
	 */
	default List<T> payloads() {
		return entries().stream().map(Entry::payload).toList();
	}

	/**
	 * Marks jobs as failed: as if they had run alone and their handler had thrown this.
	 * @param payload their payload: the same object, not one that equals it
	 * @param reason why; {@link PermanentJobException} and {@link RetryLaterException}
	 * mean what they mean when they are thrown
	 * @throws IllegalArgumentException if no job of the batch has that payload
	 */
	default void fail(T payload, Throwable reason) {
		List<Entry<T>> failed = entries().stream().filter((entry) -> entry.payload() == payload).toList();
		if (failed.isEmpty()) {
			throw new IllegalArgumentException("No job of the batch has this payload: fail() takes the same object");
		}
		failed.forEach((entry) -> entry.fail(reason));
	}

	/**
	 * One job of a batch.
	 *
	 * @param <T> what its payload is read as
	 */
	interface Entry<T> {

		/**
		 * Its payload.
		 * @return the payload
		 */
		T payload();

		/**
		 * What else is known of it.
		 * @return its context
		 */
		JobContext context();

		/**
		 * Marks it as failed, as {@link JobBatch#fail} does.
		 * @param reason why
		 */
		void fail(Throwable reason);

	}

}
