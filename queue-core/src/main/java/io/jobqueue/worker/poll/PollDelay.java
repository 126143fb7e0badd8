package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

import io.jobqueue.store.ReadyRange;

/**
 * How long the poll loop waits when it found nothing: twice as long each time, until the
 * polling interval, but not beyond the time at which a job becomes due.
 */
public final class PollDelay {

	static final Duration SHORTEST = Duration.ofMillis(20);

	private static final double JITTER = 0.25;

	private final Duration longest;

	private final RandomGenerator random;

	private Duration next = SHORTEST;

	public PollDelay(Duration longest, RandomGenerator random) {
		this.longest = longest;
		this.random = random;
	}

	/**
	 * Begins anew: there was something to do.
	 */
	void reset() {
		this.next = SHORTEST;
	}

	Duration nothingDue(List<ReadyRange> ranges) {
		Duration jittered = Duration.ofNanos((long) (this.next.toNanos() * (1 + JITTER * this.random.nextDouble())));
		Duration doubled = this.next.multipliedBy(2);
		this.next = (doubled.compareTo(this.longest) < 0) ? doubled : this.longest;
		return ranges.stream()
			.map(ReadyRange::dueIn)
			.filter((dueIn) -> !dueIn.isNegative() && !dueIn.isZero())
			.min(Duration::compareTo)
			.filter((dueIn) -> dueIn.compareTo(jittered) < 0)
			.orElse(jittered);
	}

}
