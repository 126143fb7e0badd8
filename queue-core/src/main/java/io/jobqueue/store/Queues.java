package io.jobqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.QueueMode;

/**
 * What operators see and set: queues, depth, and the newest dead jobs.
 */
public interface Queues {

	/**
	 * Pauses or resumes a queue.
	 * @param queue the queue's name
	 * @param paused whether nothing may be claimed from it
	 */
	void setPaused(String queue, boolean paused);

	/**
	 * Sets the order of a queue.
	 * @param queue the queue's name
	 * @param lifo whether the newest job is claimed first
	 */
	void setLifo(String queue, boolean lifo);

	/**
	 * Sets the mode of a queue. Jobs that run go on as they began.
	 * @param queue the queue's name
	 * @param mode the mode
	 * @return the mode that it had
	 */
	QueueMode setMode(String queue, QueueMode mode);

	/**
	 * Lists the queues in the mode {@link QueueMode#ROW_LOCK}. One plain read.
	 * @return their names
	 */
	Set<String> rowLock();

	/**
	 * Whether a queue has live jobs or a setting, such as a pause. Looks at one index
	 * entry of each queue, so it is for operators.
	 * @param queue the queue's name
	 * @return true if so
	 */
	boolean isKnown(String queue);

	/**
	 * Lists the job types that some worker has ever had a handler for.
	 * @return the types
	 */
	Set<String> types();

	/**
	 * Lists the queues that are paused. One plain read.
	 * @return their names
	 */
	Set<String> paused();

	/**
	 * Measures all queues. Reads every live job's index entry, so it is to be called now
	 * and then only.
	 * @return the depth of each queue that has live jobs or a setting
	 */
	List<Depth> depths();

	/**
	 * Counts the archived jobs. Reads every archived job's index entry, so it is to be
	 * called now and then only.
	 * @return how many there are in each state that has any
	 */
	Map<JobState, Long> archived();

	/**
	 * Says how large the queue's tables are, as the database believes: from its
	 * statistics, which may be off by half. Reads no table.
	 * @return the tables by name; empty where the database does not say
	 */
	Map<String, TableSize> tables();

	/**
	 * Lists the newest dead jobs with their last errors.
	 * @param limit how many at most
	 * @return the jobs, the newest first, without their payloads
	 */
	List<Job> newestDead(int limit);

	/**
	 * How large a table is, about.
	 *
	 * @param rows how many rows it has
	 * @param bytes how much room it takes, with its indexes
	 */
	record TableSize(long rows, long bytes) {

	}

	/**
	 * How much one queue holds.
	 *
	 * @param queue its name
	 * @param paused whether it is paused
	 * @param lifo whether the newest job is claimed first
	 * @param mode its mode
	 * @param ready jobs that are due and wait for a slot
	 * @param delayed jobs that are ready and not yet due
	 * @param waiting jobs that wait for an earlier one of their order key
	 * @param running jobs that a worker has claimed
	 * @param suspects how many of the ready and delayed jobs are under suspicion, because
	 * workers died or the database was lost while they ran
	 * @param oldestAge how long the first due job has waited; zero if none is due
	 */
	record Depth(String queue, boolean paused, boolean lifo, QueueMode mode, long ready, long delayed, long waiting,
			long running, long suspects, Duration oldestAge) {

		/**
		 * A queue without jobs.
		 * @param queue its name
		 * @param paused whether it is paused
		 * @param lifo whether the newest job is claimed first
		 * @param mode its mode
		 * @return its depth
		 */
		public static Depth empty(String queue, boolean paused, boolean lifo, QueueMode mode) {
			return new Depth(queue, paused, lifo, mode, 0, 0, 0, 0, 0, Duration.ZERO);
		}

	}

}
