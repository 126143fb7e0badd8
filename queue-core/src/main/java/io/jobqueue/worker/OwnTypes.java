package io.jobqueue.worker;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.jobqueue.store.JobStore;

import org.jspecify.annotations.Nullable;

/**
 * The job types that a worker has handlers for, and their numbers, which it asks for when
 * the database can first be reached.
 */
final class OwnTypes {

	private final JobStore store;

	private final Set<String> names;

	/** Used by the poll loop's thread only. */
	private @Nullable Map<String, Integer> ids;

	OwnTypes(JobStore store, Collection<String> names) {
		this.store = store;
		this.names = Set.copyOf(new TreeSet<>(names));
	}

	Set<String> names() {
		return this.names;
	}

	Collection<Integer> ids() {
		Map<String, Integer> known = this.ids;
		if (known == null) {
			known = this.store.typeIds(this.names);
			this.ids = known;
		}
		return known.values();
	}

}
