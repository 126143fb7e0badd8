package io.jobqueue.store.jdbc.claim;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a claim has found in a range, as far as limits are concerned.
 *
 * @param allowed the jobs that may be taken, by id, in the order of the range
 * @param passed jobs that stay where they are, and are not to be taken now
 */
record FoundInRange(Map<Long, Candidate> allowed, Set<Long> passed) {

	FoundInRange() {
		this(new LinkedHashMap<>(), new HashSet<>());
	}

	boolean isNew(Candidate job) {
		return !this.passed.contains(job.id()) && !this.allowed.containsKey(job.id());
	}

	List<Candidate> first(int limit) {
		return this.allowed.values().stream().limit(limit).toList();
	}

}
