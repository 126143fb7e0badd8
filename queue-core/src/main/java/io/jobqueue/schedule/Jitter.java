package io.jobqueue.schedule;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.zip.CRC32;

/**
 * By how much the job of a tick starts later. It depends on schedule and tick alone, so
 * that all nodes say the same.
 */
public final class Jitter {

	private Jitter() {
	}

	/**
	 * The jitter of a tick.
	 * @param name the schedule's name
	 * @param tick the tick
	 * @param most the longest jitter; zero for none
	 * @return from zero up to that, in milliseconds
	 */
	public static Duration of(String name, Instant tick, Duration most) {
		CRC32 sum = new CRC32();
		sum.update((name + '@' + tick.toEpochMilli()).getBytes(StandardCharsets.UTF_8));
		// CRC32 has 32 bits, which are spread over the whole range.
		long millis = (long) (most.toMillis() * (sum.getValue() / 4294967296.0));
		return Duration.ofMillis(millis);
	}

}
