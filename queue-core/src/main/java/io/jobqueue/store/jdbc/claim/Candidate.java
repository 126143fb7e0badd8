package io.jobqueue.store.jdbc.claim;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;

import io.jobqueue.database.Utc;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;

import org.jspecify.annotations.Nullable;

/**
 * A job that a claim may take.
 *
 * @param job the job as the claim will have it
 * @param availableAt since when it is due, in UTC
 * @param expired whether its time is over
 * @param flaw why it cannot run whoever claims it, or null if it can
 */
record Candidate(ClaimedJob job, LocalDateTime availableAt, boolean expired, @Nullable String flaw) {

	/**
	 * What to select. No column has the name of one that is sorted by, or the order were
	 * not the index's.
	 */
	static final String COLUMNS = """
			SELECT id, fence, type, queue, attempt, max_attempts, timeout_ms, crashes,
			    enqueued_at AS enqueued, available_at AS available,
			    TIMESTAMPDIFF(MICROSECOND, available_at, {now}) AS waited,
			    CASE WHEN OCTET_LENGTH(payload) <= :inline THEN payload END AS payload,
			    CASE WHEN large_payload = 1 OR OCTET_LENGTH(payload) > :inline THEN 1 ELSE 0 END AS large,
			    CASE WHEN expires_at <= {now} THEN 1 ELSE 0 END AS expired,
			    CASE WHEN {unreadable available_at} THEN 2 WHEN {unreadable enqueued_at} THEN 1 ELSE 0 END AS bad_times,
			    outages
			""";

	/**
	 * Reads a row of {@link #COLUMNS}. By position: a name is looked up anew for every
	 * row.
	 * @param row the row
	 * @param range where it stood in the claim index
	 */
	static Candidate read(ResultSet row, ReadyRange range) throws SQLException {
		FlawedJobs.Numbers numbers = new FlawedJobs.Numbers(row.getLong(2), row.getInt(5), row.getInt(8),
				row.getInt(16));
		// No driver reads a day that does not exist.
		int badTimes = row.getInt(15);
		ClaimedJob job = new ClaimedJob(new Claim(row.getLong(1), numbers.fence() + 1), row.getString(3),
				row.getString(4), range, numbers.attempt() + 1, row.getInt(6), Duration.ofMillis(row.getLong(7)),
				new Suspicion(range.degree(), numbers.crashes(), numbers.outages()),
				(badTimes == 0) ? Utc.instant(row, 9) : Instant.EPOCH, Utc.ofMicros(row.getLong(11)),
				new ClaimedJob.Payload(row.getString(12), row.getInt(13) == 1));
		return new Candidate(job, (badTimes < 2) ? row.getObject(10, LocalDateTime.class) : Utc.orEpoch(null),
				row.getInt(14) == 1, FlawedJobs.flawOf(numbers, badTimes == 0));
	}

	boolean canRun() {
		return !this.expired && this.flaw == null;
	}

	long id() {
		return this.job.claim().id();
	}

	StartingPoints.Point point() {
		return new StartingPoints.Point(this.availableAt, id());
	}

}
