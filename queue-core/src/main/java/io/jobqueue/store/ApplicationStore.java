package io.jobqueue.store;

import java.time.Instant;
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
	 * Finds the job that a unique key was given to last, as part of the caller's
	 * transaction if there is one.
	 * @param type the job type
	 * @param uniqueKey the key
	 * @return the job, live or archived; empty if there is none
	 */
	Optional<Job> findByKey(String type, String uniqueKey);

	/**
	 * Cancels a live job.
	 * @param id its id
	 * @return whether this call cancelled it
	 */
	boolean cancel(long id);

	/**
	 * Cancels live jobs, all but those that somebody has locked.
	 * @param ids their ids
	 * @return those that are cancelled, and those that were locked
	 */
	CancelledJobs cancel(Collection<Long> ids);

	/**
	 * Tells which live job a unique key was given to last, as it is committed.
	 * @param type the job type
	 * @param uniqueKey the key
	 * @return its id, or empty if it is not live or there is none
	 */
	Optional<Long> liveJobOfKey(String type, String uniqueKey);

	/**
	 * Looks at live jobs by their ids.
	 * @param queue the queue, or null for every queue
	 * @param type the type, or null for every type
	 * @param after the id after which to go on
	 * @param last the last id to look at
	 * @param limit how many to look at, at most
	 * @return those of the queue and type
	 */
	LiveJobs live(@Nullable String queue, @Nullable String type, long after, long last, int limit);

	/**
	 * The highest id of a live job.
	 * @return the id; 0 if there is none
	 */
	long lastLive();

	/**
	 * Changes when a job that waits may start.
	 * @param id its id
	 * @param availableAt the time; one that is over is taken as now
	 * @return whether it waited
	 */
	boolean reschedule(long id, Instant availableAt);

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
	 * A page of live jobs.
	 *
	 * @param ids those that were asked for, the lowest first
	 * @param next the id after which to go on; null if there are no more
	 */
	record LiveJobs(List<Long> ids, @Nullable Long next) {

	}

	/**
	 * What a cancel of several jobs has come to.
	 *
	 * @param cancelled the jobs that are cancelled
	 * @param locked those that somebody had locked
	 */
	record CancelledJobs(List<Long> cancelled, List<Long> locked) {

	}

	/**
	 * Where a dead job stands in the list of the dead.
	 *
	 * @param id its id
	 * @param finishedAt when it died, in UTC
	 */
	record DeadJob(long id, LocalDateTime finishedAt) {

	}

}
