package io.jobqueue.store;

import java.time.LocalDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import io.jobqueue.Job;
import org.jspecify.annotations.Nullable;

/**
 * What the application asks for through its {@code JobQueue}. Unless said otherwise, each
 * method runs in a transaction of its own, at READ COMMITTED, and is repeated as a whole
 * after a deadlock or lock-wait timeout.
 */
public interface ApplicationStore {

	/**
	 * Stores new jobs in the caller's transaction, or in one of its own.
	 * @param jobs the jobs
	 * @return what was stored, and under which ids
	 */
	Enqueued enqueue(List<EnqueuedJob> jobs);

	/**
	 * Finds a job, live or archived, in one statement, as part of the caller's
	 * transaction if there is one.
	 * @param id its id
	 * @return the job, or empty
	 */
	Optional<Job> find(long id);

	/**
	 * Cancels a live job.
	 * @param id its id
	 * @return whether this call cancelled it
	 */
	boolean cancel(long id);

	/**
	 * Makes dead jobs ready again.
	 * @param ids their ids
	 * @return how many of them were dead and are ready now
	 */
	int redrive(Collection<Long> ids);

	/**
	 * Lists dead jobs, the longest dead first.
	 * @param queue the queue, or null for every queue
	 * @param type the type, or null for every type
	 * @param after the id after which to go on, in a list that is kept by time and id;
	 * null to start
	 * @param until the time after which the dead are not listed
	 * @param limit how many at most
	 * @return where each stands in that list
	 */
	List<DeadJob> dead(@Nullable String queue, @Nullable String type, @Nullable DeadJob after, LocalDateTime until,
			int limit);

	/**
	 * Reads the database's clock.
	 * @return the time in UTC
	 */
	LocalDateTime now();

	/**
	 * Where a dead job stands in the list of the dead.
	 *
	 * @param id its id
	 * @param finishedAt when it died, in UTC
	 */
	record DeadJob(long id, LocalDateTime finishedAt) {

	}

}
