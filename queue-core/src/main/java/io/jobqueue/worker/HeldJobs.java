package io.jobqueue.worker;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The jobs that this node holds: claimed, and their results not yet committed.
 */
final class HeldJobs {

	private final Map<Long, Attempt> byId = new ConcurrentHashMap<>();

	void add(Attempt attempt) {
		this.byId.put(attempt.claim().id(), attempt);
	}

	void remove(Attempt attempt) {
		this.byId.remove(attempt.claim().id(), attempt);
	}

	boolean contains(Attempt attempt) {
		return this.byId.get(attempt.claim().id()) == attempt;
	}

	int size() {
		return this.byId.size();
	}

	List<Attempt> all() {
		return List.copyOf(this.byId.values());
	}

	boolean anyActive() {
		return this.byId.values().stream().anyMatch(Attempt::isActive);
	}

	int active() {
		return (int) this.byId.values().stream().filter(Attempt::isActive).count();
	}

	@Nullable Attempt find(long id) {
		return this.byId.get(id);
	}

}
