package io.jobqueue.store.jdbc.inspect;

import java.util.ArrayList;
import java.util.List;

import io.jobqueue.JobFilter;

import org.jspecify.annotations.Nullable;

/**
 * Goes through a list for the jobs of a filter, and stops after so many others.
 */
final class Walk {

	private static final int FIRST_STEP = 200;

	private static final int STEP = 2_000;

	private final Entries entries;

	private final JobFilter filter;

	private final int most;

	/**
	 * Describes a walk.
	 * @param entries the list
	 * @param filter which jobs are looked for
	 * @param most how many entries to look at, about
	 */
	Walk(Entries entries, JobFilter filter, int most) {
		this.entries = entries;
		this.filter = filter;
		this.most = most;
	}

	/**
	 * Looks for jobs.
	 * @param after the place after which to begin; null for the start of the list
	 * @param limit how many jobs at most
	 */
	Found find(@Nullable Place after, int limit) {
		List<Entry> found = new ArrayList<>();
		Place at = after;
		int step = Math.max(FIRST_STEP, limit + 1);
		for (int looked = 0; looked < this.most; looked += step, step = STEP) {
			List<Entry> part = this.entries.read(at, step);
			for (Entry entry : part) {
				if (entry.matches(this.filter)) {
					if (found.size() == limit) {
						return new Found(found, found.get(limit - 1).place());
					}
					found.add(entry);
				}
				at = entry.place();
			}
			if (part.size() < step) {
				return new Found(found, null);
			}
		}
		return new Found(found, at);
	}

	/**
	 * What was found.
	 *
	 * @param entries the jobs, in the order of the list
	 * @param next the place after which to go on; null if the list is over
	 */
	record Found(List<Entry> entries, @Nullable Place next) {

	}

}
