package io.jobqueue.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

import io.jobqueue.CatchUp;
import io.jobqueue.NewJob;
import io.jobqueue.Overlap;
import io.jobqueue.Schedule;
import io.jobqueue.schedule.Timing;

/**
 * What a schedule says, as it is stored.
 *
 * @param name its name
 * @param cron the cron expression; empty if it has an interval
 * @param interval the time between ticks; zero if it has an expression
 * @param zone the time zone of the expression
 * @param missed what becomes of missed ticks
 * @param overlap what becomes of a tick while an earlier job is live
 * @param jitter by how much the start of jobs is spread
 * @param job what is enqueued at each tick
 */
public record ScheduleDefinition(String name, String cron, Duration interval, String zone, Missed missed,
		Overlap overlap, Duration jitter, EnqueuedJob job) {

	private static final int HASH_BYTES = 16;

	/**
	 * Checks what a schedule says whose job has no payload, as those that code declares.
	 * @param schedule the schedule
	 * @throws IllegalArgumentException if it is not valid
	 */
	public static ScheduleDefinition withoutPayload(Schedule schedule) {
		return of(schedule, new EnqueuedJob(schedule.job(), null));
	}

	/**
	 * Checks what a schedule says, and writes its payload.
	 * @param schedule the schedule
	 * @param payloads how payloads are written
	 * @throws IllegalArgumentException if it is not valid
	 */
	static ScheduleDefinition of(Schedule schedule, PayloadWriter payloads) {
		return of(schedule, payloads.written(schedule.job()));
	}

	private static ScheduleDefinition of(Schedule schedule, EnqueuedJob job) {
		if (schedule.catchUp() == CatchUp.ALL && schedule.overlap() == Overlap.SKIP) {
			throw new IllegalArgumentException("The schedule '" + schedule.name()
					+ "' has catchUp ALL and overlap SKIP, which contradict each other: the jobs of missed ticks would "
					+ "be skipped. Allow overlap, or choose ONCE");
		}
		String cron = schedule.cron();
		Duration interval = schedule.interval();
		return new ScheduleDefinition(schedule.name(), (cron != null) ? cron : "",
				(interval != null) ? interval : Duration.ZERO, schedule.zone().getId(),
				new Missed(schedule.catchUp(), schedule.catchUpLimit()), schedule.overlap(), schedule.jitter(), job);
	}

	/**
	 * When it ticks.
	 */
	public Timing timing() {
		return Timing.of(this.cron, this.interval, this.zone);
	}

	/**
	 * What differs between two definitions that differ in any point, be it the name.
	 */
	public String hash() {
		NewJob what = this.job.job();
		List<Object> parts = List.of(this.name, this.cron, this.interval, this.zone, this.missed, this.overlap,
				this.jitter, what.type(), what.queue(), what.priority(), what.maxAttempts(), what.timeout(),
				Objects.toString(what.expiresAfter(), "never"), Objects.toString(this.job.payload(), "none"));
		StringBuilder text = new StringBuilder();
		for (Object part : parts) {
			String value = part.toString();
			text.append(value.length()).append(':').append(value);
		}
		try {
			byte[] sum = MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(sum, 0, HASH_BYTES);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	/**
	 * What becomes of missed ticks.
	 *
	 * @param catchUp the choice
	 * @param limit how many have jobs, if all are caught up; else 1
	 */
	public record Missed(CatchUp catchUp, int limit) {

	}

}
