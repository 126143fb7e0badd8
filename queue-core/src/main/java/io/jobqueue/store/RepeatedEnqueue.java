package io.jobqueue.store;

import java.util.List;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.observe.QueueObserver;
import io.jobqueue.observe.Sending;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues, and again if the connection was lost during the commit and the jobs have
 * unique keys, which tell whether it took place.
 */
final class RepeatedEnqueue {

	private static final Logger log = LoggerFactory.getLogger(RepeatedEnqueue.class);

	private static final int MAX_TRIES = 3;

	private final ApplicationStore store;

	private final QueueListeners listeners;

	RepeatedEnqueue(ApplicationStore store, QueueListeners listeners) {
		this.store = store;
		this.listeners = listeners;
	}

	/**
	 * Stores jobs, and tells of those that are stored once they are committed.
	 * @param jobs the jobs
	 * @return their ids
	 * @throws UnknownOutcomeException if nobody knows whether they are stored
	 */
	List<Long> enqueue(List<EnqueuedJob> jobs) {
		QueueObserver observer = this.listeners.observer();
		if (observer == QueueObserver.NONE || jobs.isEmpty()) {
			return enqueueUnobserved(jobs);
		}
		Sending sending = observer.send(jobs.stream().map(EnqueuedJob::job).toList());
		try {
			String trace = sending.trace();
			return enqueueUnobserved((trace != null) ? jobs.stream().map((job) -> job.in(trace)).toList() : jobs);
		}
		catch (RuntimeException | Error ex) {
			sending.failed(ex);
			throw ex;
		}
		finally {
			sending.end();
		}
	}

	private List<Long> enqueueUnobserved(List<EnqueuedJob> jobs) {
		boolean repeatable = jobs.stream().allMatch((job) -> job.job().uniqueKey() != null);
		UnknownOutcomeException unknown = null;
		for (int tries = 1;; tries++) {
			try {
				Enqueued enqueued = this.store.enqueue(jobs);
				if (!enqueued.stored().isEmpty()) {
					tell(enqueued);
				}
				return enqueued.ids();
			}
			catch (UnknownOutcomeException ex) {
				// With a unique key the repetition finds the job if the lost commit took
				// place.
				if (!repeatable || tries == MAX_TRIES) {
					throw unknown(jobs, ex);
				}
				unknown = ex;
				log.warn("The connection was lost during the commit of {}; enqueued again by unique key",
						described(jobs));
			}
			catch (RuntimeException ex) {
				if (unknown == null) {
					throw ex;
				}
				// Whatever became of the repetition, the first may have taken place.
				unknown.addSuppressed(ex);
				throw unknown(jobs, unknown);
			}
		}
	}

	private static UnknownOutcomeException unknown(List<EnqueuedJob> jobs, UnknownOutcomeException cause) {
		return new UnknownOutcomeException(
				described(jobs) + " may or may not have been enqueued: the connection was lost during the commit",
				cause);
	}

	private static String described(List<EnqueuedJob> jobs) {
		String first = jobs.get(0).job().type();
		return (jobs.size() == 1) ? "one '" + first + "' job"
				: jobs.size() + " jobs (the first of type '" + first + "')";
	}

	private void tell(Enqueued enqueued) {
		if (!this.listeners.isEmpty()) {
			enqueued.afterCommit()
				.accept(() -> this.listeners.tell((listener) -> listener.enqueued(enqueued.stored())));
		}
	}

}
