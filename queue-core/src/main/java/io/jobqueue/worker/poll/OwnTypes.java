package io.jobqueue.worker.poll;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.TypeRules;

import org.jspecify.annotations.Nullable;

/**
 * The job types that a worker has handlers for, and their numbers, which it asks for when
 * the database can first be reached.
 */
public final class OwnTypes {

	private final ClaimStore store;

	private final Map<String, TypeRules> rules;

	/** Used by the poll loop's thread only. */
	private @Nullable Collection<Integer> ids;

	public OwnTypes(ClaimStore store, Map<String, TypeRules> rules) {
		this.store = store;
		this.rules = Map.copyOf(rules);
	}

	Set<String> names() {
		return this.rules.keySet();
	}

	/**
	 * The numbers of the types, and the negative ones for jobs with limit keys.
	 */
	Collection<Integer> ids() {
		Collection<Integer> known = this.ids;
		if (known == null) {
			known = new ArrayList<>();
			for (int id : this.store.registerTypes(this.rules).values()) {
				known.add(id);
				known.add(-id);
			}
			this.ids = known;
		}
		return known;
	}

}
