package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Jobs of row-lock queues that could not begin, since somebody else has them or keeps
 * their rows locked. For a moment this worker leaves them alone.
 */
public final class MissedJobs {

	private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private final LongSupplier nanoTime;

	private final Map<Long, Long> until = new ConcurrentHashMap<>();

	public MissedJobs(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Notes a job.
	 */
	public void add(long id) {
		this.until.put(id, this.nanoTime.getAsLong() + PAUSE_NANOS);
	}

	/**
	 * Which jobs are left alone now.
	 */
	public Set<Long> current() {
		if (this.until.isEmpty()) {
			return Set.of();
		}
		long now = this.nanoTime.getAsLong();
		this.until.values().removeIf((end) -> now - end >= 0);
		return new HashSet<>(this.until.keySet());
	}

}
