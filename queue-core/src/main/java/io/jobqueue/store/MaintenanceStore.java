package io.jobqueue.store;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.jobqueue.ArchivedJob;
import io.jobqueue.JobState;
import io.jobqueue.retry.RetryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What maintenance does with jobs, in batches: it finds whom to rescue, archives what has
 * expired, deletes what is old, and sees to rows that other programs have written.
 */
public interface MaintenanceStore extends FinishStore {

	/**
	 * Lists running jobs whose session is gone or whose deadline has passed. One plain
	 * read.
	 * @param after the id after which to go on; {@code Long.MIN_VALUE} to start
	 * @param limit how many at most
	 * @return the jobs, by id; fewer than the limit if no more follow
	 */
	List<OverdueJob> overdue(long after, int limit);

	/**
	 * Archives ready jobs that have expired, the longest expired first.
	 * @param from the time of expiry from which to go on; null to start
	 * @param limit how many at most
	 * @return how many were archived, and from where to go on
	 */
	Batch<LocalDateTime> expire(@Nullable LocalDateTime from, int limit);

	/**
	 * Makes jobs dead whose state is none that a live job can have. Only another program
	 * can have put them there.
	 * @param limit how many at most
	 * @return how many were found
	 */
	int deadLetterUnknownStates(int limit);

	/**
	 * Sees to it that no new job gets the id of an archived one, as it would after
	 * somebody has truncated the table of live jobs.
	 * @return how many ids are left; 0 if no job can be enqueued any more
	 */
	long keepIdsUnique();

	/**
	 * Finds out since when archived jobs of a state are to be kept.
	 * @param state the state
	 * @param keep how long
	 * @return the time; those that finished before it need not be kept
	 */
	LocalDateTime keptSince(JobState state, Keep keep);

	/**
	 * Deletes archived jobs of one state that finished before a time, with their payloads
	 * and errors, the oldest first.
	 * @param state the state
	 * @param before the time, in UTC
	 * @param from the time of finishing from which to go on; null to start
	 * @param limit how many at most
	 * @return how many were deleted, and from where to go on
	 */
	Batch<LocalDateTime> prune(JobState state, LocalDateTime before, @Nullable LocalDateTime from, int limit);

	/**
	 * Reads the jobs that {@link #prune} would delete, some megabytes at most.
	 * @param state the state
	 * @param before the time, in UTC
	 * @param from the time of finishing from which to go on; null to start
	 * @param limit how many at most
	 * @return the jobs, and from where to go on
	 */
	ArchivedBatch archived(JobState state, LocalDateTime before, @Nullable LocalDateTime from, int limit);

	/**
	 * Deletes archived jobs, with their payloads and errors. Those that were redriven
	 * since they were read stay, and those that somebody has locked.
	 * @param jobs the jobs
	 * @return how many were deleted
	 */
	int deleteArchived(List<ArchivedJob> jobs);

	/**
	 * Deletes unique keys whose time is over and whose job is not live.
	 * @param after the key after which to go on; null to start
	 * @param limit how many keys to look at, whether they can be deleted or not
	 * @return how many were deleted, and after which key to go on
	 */
	Batch<OldKey> pruneUniqueKeys(@Nullable OldKey after, int limit);

	/**
	 * Finds out when jobs of a type are to be tried again.
	 * @param type the type
	 * @return what the last worker said that had a handler for it; empty if none ever did
	 */
	Optional<RetryPolicy> retryOf(String type);

	/**
	 * Writes down how long an application wants archived jobs to be kept, and finds out
	 * how long they have to be: as long as any application wants that was heard of in the
	 * last thirty days.
	 * @param application the application's name
	 * @param own how long it wants them to be kept, by state
	 * @return how long they have to be kept, for the same states
	 */
	Map<JobState, Keep> retention(String application, Map<JobState, Keep> own);

	/**
	 * Lists the types whose ready jobs were sorted out, and the queues that they wait in.
	 * @param limit how many at most
	 * @return the pairs of type and queue
	 */
	List<TypeInQueue> sortedOut(int limit);

	/**
	 * One batch of a round, which is a transaction of its own. The next batch begins
	 * where this one stopped. So it skips the rows that were left in place, and the index
	 * entries of deleted rows, which stay while somebody has an old snapshot open.
	 *
	 * @param <P> a place in the order of the round
	 * @param changed how many were archived or deleted
	 * @param next where to go on; null if the round is over
	 * @param failure what some rows of the batch have failed with, while the others were
	 * seen to; null for nothing
	 */
	record Batch<P>(int changed, @Nullable P next, @Nullable RuntimeException failure) {

		/**
		 * A batch of which all rows were seen to.
		 * @param changed how many were archived or deleted
		 * @param next where to go on; null if the round is over
		 */
		public Batch(int changed, @Nullable P next) {
			this(changed, next, null);
		}

	}

	/**
	 * Archived jobs that were read.
	 *
	 * @param jobs the jobs
	 * @param next where to go on once they are deleted; null if the round is over
	 */
	record ArchivedBatch(List<ArchivedJob> jobs, @Nullable LocalDateTime next) {

	}

	/**
	 * Where a unique key stands in the list of those whose time is over.
	 *
	 * @param expiresAt until when it was held in any case, in UTC
	 * @param type the job type
	 * @param uniqueKey the key
	 */
	record OldKey(LocalDateTime expiresAt, String type, String uniqueKey) {

	}

	/**
	 * A type and a queue that has jobs of it.
	 *
	 * @param type the type; if no type has the number, {@link #NUMBER} and that
	 * @param queue the queue
	 */
	record TypeInQueue(String type, String queue) {

		/** What the name of a type cannot begin with. */
		public static final String NUMBER = "type_id ";

	}

}
