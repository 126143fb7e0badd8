package io.jobqueue.store;

import java.util.ArrayList;
import java.util.List;

import io.jobqueue.BlockedKey;
import org.jspecify.annotations.Nullable;

/**
 * Order keys: lets one job of each key run, and when it has ended the next one. Whoever
 * ends or enqueues a job with a key leaves a change behind, in the same transaction; any
 * worker sees to it, under the lock of the key's row. So producers and handlers never
 * wait for a key.
 */
public interface OrderKeys {

	/**
	 * Sees to keys that have changed, to some hundreds at most. Keys that another node
	 * sees to are passed over.
	 * @return what has become of it
	 */
	Settled settle();

	/**
	 * Sees to keys of which jobs wait although none may run, whatever has become of their
	 * changes.
	 * @param after the key after which to go on; null to start
	 * @param limit how many keys to look at, at most
	 * @return how many jobs became ready or dead, and where to go on
	 */
	MaintenanceStore.Batch<String> sweepKeys(@Nullable String after, int limit);

	/**
	 * Sees to jobs that wait and have no place in the order of their key: another program
	 * has inserted them without.
	 * @param after the job after which to go on; null to start
	 * @param limit how many live jobs to look at, at most
	 * @return how many have got a place now, and where to go on
	 */
	MaintenanceStore.Batch<Long> sweepJobs(@Nullable Long after, int limit);

	/**
	 * Forgets keys that have had no jobs for a minute.
	 * @param after the key after which to go on; null to start
	 * @param limit how many keys to look at, at most
	 * @return how many were forgotten, and where to go on
	 */
	MaintenanceStore.Batch<String> forget(@Nullable String after, int limit);

	/**
	 * Lists the keys that are blocked, the longest blocked first. One plain read.
	 * @param limit how many at most
	 * @return the keys
	 */
	List<BlockedKey> blocked(int limit);

	/**
	 * Lets the jobs of a blocked key run, behind the dead one.
	 * @param orderKey the key
	 * @param deadJob the job that blocks it; null for any
	 * @return false if it is not blocked, or by another job
	 */
	boolean unblock(String orderKey, @Nullable Long deadJob);

	/**
	 * What has become of a look at keys.
	 *
	 * @param changes how many changes were seen to
	 * @param left how many were read and left, since their keys or jobs are locked
	 * @param more whether more than these may wait to be seen to
	 * @param ready the jobs that are ready now
	 */
	record Settled(int changes, int left, boolean more, List<NowReady> ready) {

		/** There was nothing to do. */
		public static final Settled NOTHING = new Settled(0, 0, false, List.of());

		/**
		 * What has become of two looks, of which this is the second.
		 */
		public Settled after(Settled first) {
			List<NowReady> all = new ArrayList<>(first.ready);
			all.addAll(this.ready);
			return new Settled(first.changes + this.changes, first.left + this.left, this.more, all);
		}

	}

	/**
	 * A job that may be claimed now.
	 *
	 * @param type its type
	 * @param queue its queue
	 * @param priority its priority
	 */
	record NowReady(String type, String queue, int priority) {

	}

}
