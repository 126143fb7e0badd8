package io.jobqueue.store.jdbc.claim;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;

/**
 * How far behind its first job a look at a range begins: the more often others were
 * quicker there, the further, at a random place.
 */
final class Spread {

	/** In batches. */
	private static final int MOST = 8;

	private static final int MOST_RANGES = 1_000;

	private final RandomGenerator random = RandomGenerator.getDefault();

	private final Map<ReadyRange, Integer> batches = new ConcurrentHashMap<>();

	/**
	 * How many jobs to pass over now.
	 * @param range the range
	 * @param batch how many jobs a claim takes
	 */
	int skip(ReadyRange range, int batch) {
		return this.random.nextInt(this.batches.getOrDefault(range.key(), 0) + 1) * batch;
	}

	/**
	 * A batch less far after a look that began further back and found nothing there.
	 * @param range the range
	 */
	void foundNone(ReadyRange range) {
		this.batches.computeIfPresent(range.key(), (key, before) -> (before > 1) ? before - 1 : null);
	}

	/**
	 * Twice as far after each loss, and a batch less far after each claim without one.
	 * @param jobs the jobs that were to be taken
	 * @param own those that were
	 */
	void note(List<ClaimedJob> jobs, List<ClaimedJob> own) {
		Set<Claim> ours = own.stream().map(ClaimedJob::claim).collect(Collectors.toSet());
		Map<ReadyRange, Boolean> lost = jobs.stream()
			.filter((job) -> !job.range().isSuspect())
			.collect(Collectors.toMap((job) -> job.range().key(), (job) -> !ours.contains(job.claim()),
					Boolean::logicalOr));
		if (this.batches.size() > MOST_RANGES) {
			this.batches.clear();
		}
		lost.forEach((range, any) -> this.batches.compute(range, (key, known) -> {
			int before = (known != null) ? known : 0;
			int now = any ? Math.min(MOST, Math.max(2, 2 * before)) : before - 1;
			return (now > 0) ? now : null;
		}));
	}

}
