package io.jobqueue.store.jdbc.inspect;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A list of jobs that an index has in order.
 */
interface Entries {

	/**
	 * Reads a part of the list.
	 * @param after the place after which to go on; null to start
	 * @param limit how many entries at most
	 * @return the entries in order; fewer than the limit if no more follow
	 */
	List<Entry> read(@Nullable Place after, int limit);

	/**
	 * Whether the list is ordered by time, and not by id.
	 */
	boolean byTime();

}
