package io.jobqueue.store.jdbc.inspect;

import java.util.List;

import io.jobqueue.JobFilter;
import io.jobqueue.database.Database;

import org.jspecify.annotations.Nullable;

/**
 * Goes through jobs in the order of an index. The latest come first, so jobs that come
 * meanwhile are not met.
 */
public final class WalkJobs {

	private final Database database;

	/**
	 * Creates the walks.
	 * @param database the database, with the queue's tables in it
	 */
	public WalkJobs(Database database) {
		this.database = database;
	}

	/**
	 * Where the list of live jobs begins, if those with higher ids are left out.
	 * @param lastId the highest id
	 * @return the place
	 */
	public static String behind(long lastId) {
		return new Place(null, Math.min(lastId, Long.MAX_VALUE - 1) + 1).toString();
	}

	/**
	 * Finds jobs.
	 * @param filter which jobs
	 * @param after the place after which to begin; null for the start
	 * @param limit how many jobs at most
	 * @param most how many others to look at, about
	 * @return the jobs, and where to go on
	 * @throws IllegalArgumentException if the place is none of such a list
	 */
	public Found find(JobFilter filter, @Nullable String after, int limit, int most) {
		Entries entries = entries(filter);
		Place place = (after != null) ? Place.parse(after, entries.byTime()) : null;
		Walk.Found found = new Walk(entries, filter, most).find(place, limit);
		return new Found(found.entries().stream().map((entry) -> entry.place().id()).toList(),
				(found.next() != null) ? found.next().toString() : null);
	}

	private Entries entries(JobFilter filter) {
		if (filter.state() == null) {
			return new JobsByNumber(this.database, true);
		}
		if (!filter.state().isLive()) {
			return new EndedJobs(this.database, filter);
		}
		return FewJobs.of(this.database, filter)
			.map(Entries.class::cast)
			.orElseGet(() -> new JobsByNumber(this.database, false));
	}

	/**
	 * Jobs that were found.
	 *
	 * @param ids their ids, in the order of the list
	 * @param next the place after which to go on; null if the list is over
	 */
	public record Found(List<Long> ids, @Nullable String next) {

	}

}
