package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.jobqueue.poison.Suspicion;

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

	/**
	 * How many jobs may be held in all, because of those under suspicion among them.
	 */
	int companyLimit(int slots) {
		return this.byId.values()
			.stream()
			.mapToInt((attempt) -> attempt.job().suspicion().company(slots))
			.filter((company) -> company != Suspicion.ANY_COMPANY)
			.min()
			.orElse(Suspicion.ANY_COMPANY);
	}

	/**
	 * How long the oldest attempt has run.
	 */
	Duration oldest(long nanos) {
		return this.byId.values()
			.stream()
			.map((attempt) -> attempt.ran(nanos))
			.max(Duration::compareTo)
			.orElse(Duration.ZERO);
	}

	@Nullable Attempt find(long id) {
		return this.byId.get(id);
	}

}
