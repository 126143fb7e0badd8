package io.jobqueue.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.jobqueue.Job;
import org.jspecify.annotations.Nullable;

/**
 * What a job that tells of a dead one has as its payload: which one that is. The dead
 * job's own payload is not copied.
 *
 * @param id the dead job's id
 * @param enqueuedAt when it was enqueued, which tells it from another job that got its id
 * after somebody truncated a table; null if the row had no valid time
 */
public record DeadJobReference(long id, @Nullable Instant enqueuedAt) {

	private static final Pattern JSON = Pattern.compile("\\{\"job\":(-?\\d+),\"enqueuedMicros\":(-?\\d+|null)}");

	/**
	 * Reads one.
	 * @param payload the payload
	 * @throws IllegalArgumentException if it is none
	 */
	public static DeadJobReference parse(@Nullable String payload) {
		Matcher matcher = JSON.matcher((payload != null) ? payload : "");
		if (!matcher.matches()) {
			throw new IllegalArgumentException("The payload does not say which job is dead");
		}
		String micros = matcher.group(2);
		return new DeadJobReference(Long.parseLong(matcher.group(1)),
				micros.equals("null") ? null : Instant.EPOCH.plus(Long.parseLong(micros), ChronoUnit.MICROS));
	}

	/**
	 * Whether it is this job that is meant.
	 */
	public boolean isTo(Job job) {
		return job.id() == this.id && (this.enqueuedAt == null || this.enqueuedAt.equals(job.enqueuedAt()));
	}

}
