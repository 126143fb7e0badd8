package io.jobqueue.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import io.jobqueue.Limit;
import io.jobqueue.LimitStatus;
import org.jspecify.annotations.Nullable;

/**
 * Limits: their rules, and the jobs that wait because their limit key has no place for
 * them. Claims regard limits by themselves; what is here lets those jobs be ready again.
 */
public interface LimitStore {

	/**
	 * Stores a limit.
	 * @param limit the limit
	 */
	void save(Limit limit);

	/**
	 * Stores a limit if it still is as it was seen.
	 * @param before the limit as it was seen
	 * @param after the limit, with the same name
	 * @return whether it was
	 */
	boolean change(Limit before, Limit after);

	/**
	 * Says how this node is configured, and stores those limits of which no live node has
	 * a newer configuration. What was changed since that was stored is kept.
	 * @param declared the limits, each name once
	 * @param revision the higher, the newer
	 * @param live for how long holds what was said
	 * @return the names of those that were stored
	 */
	List<String> declare(Collection<Limit> declared, long revision, Duration live);

	/**
	 * Lists limits.
	 * @param name the only one that is wanted; null for all
	 * @return the limits, sorted by name
	 */
	List<LimitStatus> list(@Nullable String name);

	/**
	 * Lets jobs that wait for keys be ready, as far as there are places.
	 * @param keys the keys
	 * @return what has become of it
	 */
	Settled settle(Collection<LimitKey> keys);

	/**
	 * The keys of which a job that waits may start now, because time has passed.
	 * @param limit how many at most
	 */
	List<LimitKey> due(int limit);

	/**
	 * Sees to keys of which jobs wait although there are places.
	 * @param after the key after which to go on; null to start
	 * @param limit how many keys to look at, at most
	 * @return how many jobs became ready, and where to go on
	 */
	MaintenanceStore.Batch<LimitKey> sweepKeys(@Nullable LimitKey after, int limit);

	/**
	 * Sees to jobs that wait and have no place: another program has inserted them so.
	 * @param after the job after which to go on; null to start
	 * @param limit how many live jobs to look at, at most
	 * @return how many are ready now, and where to go on
	 */
	MaintenanceStore.Batch<Long> sweepJobs(@Nullable Long after, int limit);

	/**
	 * Forgets keys that have had no jobs for a minute.
	 * @param after the key after which to go on; null to start
	 * @param limit how many keys to look at, at most
	 * @return how many were forgotten, and where to go on
	 */
	MaintenanceStore.Batch<LimitKey> forget(@Nullable LimitKey after, int limit);

	/**
	 * What has become of a look at keys.
	 *
	 * @param ready how many jobs are ready now
	 * @param tidied how many places of jobs that had ended were given up
	 * @param left the keys that are to be seen to again, since they or their jobs are
	 * locked
	 * @param next when the next job may start, if time alone keeps it; null if none waits
	 * for that
	 */
	record Settled(int ready, int tidied, Collection<LimitKey> left, @Nullable Duration next) {

		/** There was nothing to do. */
		public static final Settled NOTHING = new Settled(0, 0, List.of(), null);

	}

}
