package io.jobqueue.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Locks the next due jobs of a range of the claim index, read in the index's own order:
 * only the rows that are taken are locked. A queue that is paused before the statement
 * starts yields nothing.
 */
final class LockNextJobs {

	private static final String DUE = """
			WHERE state = :state AND type_id = :typeId AND queue = :queue AND priority = :priority
			    AND available_at <= {now} AND (:everyType = 1 OR type IN (:types))
			    AND NOT EXISTS (SELECT 1 FROM jobqueue_queue WHERE name = :queue AND paused = 1)
			""";

	/**
	 * No column has the name of one that is sorted by, or the order were not the index's.
	 */
	private static final String SELECT = """
			SELECT id, fence, type, queue, attempt, max_attempts, timeout_ms, crashes,
			    {readable enqueued_at} AS enqueued, {readable available_at} AS available,
			    TIMESTAMPDIFF(MICROSECOND, {readable available_at}, {now}) AS waited,
			    CASE WHEN OCTET_LENGTH(payload) <= :inline THEN payload END AS payload,
			    CASE WHEN large_payload = 1 OR OCTET_LENGTH(payload) > :inline THEN 1 ELSE 0 END AS large,
			    CASE WHEN expires_at <= {now} THEN 1 ELSE 0 END AS expired,
			    CASE WHEN {unreadable available_at} OR {unreadable enqueued_at} THEN 0 ELSE 1 END AS has_times,
			    outages
			FROM jobqueue_job{byClaim}
			""" + DUE;

	private static final String FIRST_IN_ORDER = """
			ORDER BY available_at, id
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	private static final String FIRST = SELECT + FIRST_IN_ORDER;

	private static final String FIRST_AFTER = SELECT + """
			    AND (available_at > :after OR (available_at = :after AND id > :afterId))
			""" + FIRST_IN_ORDER;

	private static final String LAST = SELECT + """
			ORDER BY available_at DESC, id DESC
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	/**
	 * H2 reads its index in order only without FOR UPDATE; with it, it reads and locks
	 * every due row.
	 */
	private static final String FIRST_IDS_OF_H2 = "SELECT id FROM jobqueue_job " + DUE + """
			ORDER BY state, type_id, queue, priority, available_at
			LIMIT :limit""";

	private static final String LAST_IDS_OF_H2 = "SELECT id FROM jobqueue_job " + DUE + """
			ORDER BY state DESC, type_id DESC, queue DESC, priority DESC, available_at DESC
			LIMIT :limit""";

	/** A list in SQL must not be empty. */
	private static final Set<String> NO_TYPE = Set.of("-");

	private final Database database;

	private final int inlinePayload;

	private final LongSupplier nanoTime;

	private final StartingPoints startingPoints;

	LockNextJobs(Database database, int inlinePayload, LongSupplier nanoTime) {
		this.database = database;
		this.inlinePayload = inlinePayload;
		this.nanoTime = nanoTime;
		this.startingPoints = new StartingPoints(nanoTime);
	}

	/**
	 * Locks jobs until the transaction ends.
	 * @param range the range
	 * @param limit how many at most
	 * @param types the types to lock; empty for all
	 * @param onCommit takes what is to be done once the transaction is committed
	 * @return the jobs, in the order of the range
	 */
	List<Candidate> lock(ReadyRange range, int limit, Set<String> types, Consumer<Runnable> onCommit) {
		if (this.database.dialect() == Dialect.H2) {
			return lockOnH2(range, limit, types);
		}
		if (range.lifo() || range.isSuspect()) {
			return list(bound(range.lifo() ? LAST : FIRST, range, limit, types), range);
		}
		StartingPoints.Point start = this.startingPoints.of(range);
		if (start != null) {
			List<Candidate> jobs = list(bound(FIRST_AFTER, range, limit, types).param("after", start.availableAt())
				.param("afterId", start.id()), range);
			if (!jobs.isEmpty() || this.startingPoints.isSpared(range)) {
				onCommit.accept(() -> this.startingPoints.resumed(range, last(jobs), jobs.size() == limit));
				return jobs;
			}
		}
		return lockFromTheStart(range, limit, types, onCommit);
	}

	private List<Candidate> lockFromTheStart(ReadyRange range, int limit, Set<String> types,
			Consumer<Runnable> onCommit) {
		long before = this.nanoTime.getAsLong();
		try {
			List<Candidate> jobs = list(bound(FIRST, range, limit, types), range);
			long cost = this.nanoTime.getAsLong() - before;
			onCommit.accept(() -> this.startingPoints.looked(range, last(jobs), jobs.size() == limit, cost));
			return jobs;
		}
		catch (RuntimeException ex) {
			this.startingPoints.failed(range, this.nanoTime.getAsLong() - before);
			throw ex;
		}
	}

	private static StartingPoints.@Nullable Point last(List<Candidate> jobs) {
		return jobs.isEmpty() ? null : jobs.get(jobs.size() - 1).point();
	}

	private List<Candidate> lockOnH2(ReadyRange range, int limit, Set<String> types) {
		List<Long> ids = bound(range.lifo() ? LAST_IDS_OF_H2 : FIRST_IDS_OF_H2, range, limit, types).query(Long.class)
			.list();
		String select = (range.lifo() ? LAST : FIRST).replace("ORDER BY", "AND id IN (:ids)\nORDER BY");
		return ids.isEmpty() ? List.of() : list(bound(select, range, limit, types).param("ids", ids), range);
	}

	private JdbcClient.StatementSpec bound(String select, ReadyRange range, int limit, Set<String> types) {
		return this.database.sql(select)
			.param("state", StateCode.ready(range.degree()))
			.param("queue", range.queue())
			.param("priority", range.priority())
			.param("typeId", range.typeId())
			.param("everyType", (types.isEmpty() || !range.isOfAnyType()) ? 1 : 0)
			.param("types", types.isEmpty() ? NO_TYPE : types)
			.param("inline", this.inlinePayload)
			.param("limit", limit);
	}

	private static List<Candidate> list(JdbcClient.StatementSpec statement, ReadyRange range) {
		return statement.query((row, number) -> candidate(row, range)).list();
	}

	/** By position: a name is looked up anew for every row. */
	private static Candidate candidate(ResultSet row, ReadyRange range) throws SQLException {
		FlawedJobs.Numbers numbers = new FlawedJobs.Numbers(row.getLong(2), row.getInt(5), row.getInt(8),
				row.getInt(16));
		ClaimedJob job = new ClaimedJob(new Claim(row.getLong(1), numbers.fence() + 1), row.getString(3),
				row.getString(4), range, numbers.attempt() + 1, row.getInt(6), Duration.ofMillis(row.getLong(7)),
				new Suspicion(range.degree(), numbers.crashes(), numbers.outages()), Utc.instant(row, 9),
				Utc.ofMicros(row.getLong(11)), new ClaimedJob.Payload(row.getString(12), row.getInt(13) == 1));
		return new Candidate(job, row.getObject(10, LocalDateTime.class), row.getInt(14) == 1,
				FlawedJobs.flawOf(numbers, row.getInt(15) == 1));
	}

	/**
	 * A job that a claim may take.
	 *
	 * @param job the job as the claim will have it
	 * @param availableAt since when it is due, in UTC
	 * @param expired whether its time is over
	 * @param flaw why it cannot run whoever claims it, or null if it can
	 */
	record Candidate(ClaimedJob job, LocalDateTime availableAt, boolean expired, @Nullable String flaw) {

		boolean canRun() {
			return !this.expired && this.flaw == null;
		}

		long id() {
			return this.job.claim().id();
		}

		private StartingPoints.Point point() {
			return new StartingPoints.Point(this.availableAt, id());
		}

	}

}
