package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ClaimedJob;

/**
 * What jobs have to have in common to be taken by one update.
 */
record Alike(long fence, Degree degree, Duration deadline) implements Comparable<Alike> {

	private static final Comparator<Alike> ORDER = Comparator.comparingLong(Alike::fence)
		.thenComparing(Alike::degree)
		.thenComparing(Alike::deadline);

	/**
	 * Few updates, as nearly all jobs of a batch have the same fence and deadline; in one
	 * order, so that claims of the same jobs wait for each other instead of deadlocking.
	 */
	static Map<Alike, List<ClaimedJob>> group(ClaimTransaction claim, List<ClaimedJob> jobs) {
		return jobs.stream()
			.sorted(Comparator.comparing((job) -> job.claim().id()))
			.collect(Collectors.groupingBy(
					(job) -> new Alike(job.claim().fence(), job.range().degree(), claim.deadline(job)), TreeMap::new,
					Collectors.toList()));
	}

	@Override
	public int compareTo(Alike other) {
		return ORDER.compare(this, other);
	}

}
