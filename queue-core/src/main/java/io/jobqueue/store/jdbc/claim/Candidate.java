package io.jobqueue.store.jdbc.claim;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

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
 * @param available since when it is due, in microseconds since 1970
 * @param expired whether its time is over
 * @param more whether it belongs to a schedule, has an order key or a trace
 * @param flaw why it cannot run whoever claims it, or null if it can
 */
record Candidate(ClaimedJob job, long available, boolean expired, boolean more, @Nullable String flaw) {

	/**
	 * What to select: first what every job has, then what few have. No alias is the name
	 * of a column that is sorted by: MySQL would sort by the alias, and not read the
	 * index in its order. Times are numbers, which are much quicker to read than dates,
	 * and the first of them is null if one of both is no time.
	 */
	static final String COLUMNS = """
			SELECT id, fence, type, attempt,
			    CASE WHEN NOT {unreadable available_at} AND NOT {unreadable enqueued_at}
			        THEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', enqueued_at) END AS enqueued,
			    TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', available_at) AS available,
			    TIMESTAMPDIFF(MICROSECOND, available_at, {now}) AS waited,
			    CASE WHEN OCTET_LENGTH(payload) <= :inline THEN payload END AS small_payload,
			    CASE WHEN max_attempts = 0 AND timeout_ms = 0 AND crashes = 0 AND outages = 0 AND large_payload = 0
			            AND (payload IS NULL OR OCTET_LENGTH(payload) <= :inline) AND expires_at > {now}
			            AND scheduled_for IS NULL AND order_key IS NULL AND trace IS NULL
			        THEN 1 ELSE 0 END AS plain,
			    max_attempts, timeout_ms, crashes, outages,
			    CASE WHEN large_payload = 1 OR OCTET_LENGTH(payload) > :inline THEN 1 ELSE 0 END AS large,
			    CASE WHEN expires_at <= {now} THEN 1 ELSE 0 END + CASE WHEN scheduled_for IS NULL AND order_key IS NULL AND trace IS NULL THEN 0 ELSE 2 END AS marks
			""";

	/**
	 * The same of a job that the claim has taken already: fence and attempt are its own.
	 */
	static final String COLUMNS_IF_CLAIMED = COLUMNS.replace("SELECT id, fence, type, attempt,",
			"SELECT id, fence - 1, type, attempt - 1,");

	/**
	 * Reads a row of {@link #COLUMNS}. By position: a name is looked up anew for every
	 * row. What few jobs have is left alone for the others.
	 * @param row the row
	 * @param range where it stood in the claim index
	 * @param session the session that is to hold the job
	 */
	static Candidate read(ResultSet row, ReadyRange range, long session) throws SQLException {
		long enqueued = row.getLong(5);
		boolean hasTimes = !row.wasNull();
		Rare rare = (row.getInt(9) == 1) ? Rare.NONE : Rare.read(row);
		FlawedJobs.Numbers numbers = new FlawedJobs.Numbers(row.getLong(2), row.getInt(4), rare.crashes(),
				rare.outages());
		ClaimedJob job = new ClaimedJob(new Claim(row.getLong(1), numbers.fence() + 1, session), row.getString(3),
				range, numbers.attempt() + 1, rare.maxAttempts(), rare.timeout(),
				new Suspicion(range.degree(), rare.crashes(), rare.outages()), Utc.instant(enqueued),
				Utc.ofMicros(row.getLong(7)), new ClaimedJob.Payload(row.getString(8), rare.large()));
		return new Candidate(job, row.getLong(6), rare.expired(), rare.more(), FlawedJobs.flawOf(numbers, hasTimes));
	}

	Candidate withFlaw(String other) {
		return new Candidate(this.job, this.available, this.expired, this.more, other);
	}

	/** It had not expired when it was taken. */
	Candidate unexpired() {
		return new Candidate(this.job, this.available, false, this.more, this.flaw);
	}

	boolean canRun() {
		return !this.expired && this.flaw == null;
	}

	long id() {
		return this.job.claim().id();
	}

	Point point() {
		return new Point(Utc.of(Utc.instant(this.available)), id());
	}

	/**
	 * What few jobs have.
	 */
	private record Rare(int maxAttempts, Duration timeout, int crashes, int outages, boolean large, boolean expired,
			boolean more) {

		private static final Rare NONE = new Rare(0, Duration.ZERO, 0, 0, false, false, false);

		static Rare read(ResultSet row) throws SQLException {
			int marks = row.getInt(15);
			return new Rare(row.getInt(10), Duration.ofMillis(row.getLong(11)), row.getInt(12), row.getInt(13),
					row.getInt(14) == 1, marks % 2 == 1, marks >= 2);
		}

	}

}
