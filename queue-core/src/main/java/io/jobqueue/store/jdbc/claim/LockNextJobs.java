package io.jobqueue.store.jdbc.claim;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.jobqueue.database.Database;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ReadyRange;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Locks the next jobs by one statement, which reads the claim index in its own order:
 * only the rows that are taken are locked.
 */
final class LockNextJobs implements ClaimStrategy {

	private static final String SELECT = Candidate.COLUMNS + "FROM jobqueue_job{byClaim}\n" + DUE;

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

	@Override
	public List<Candidate> lock(ReadyRange range, int limit, ClaimRequest request, Consumer<Runnable> onCommit) {
		if (range.lifo() || range.isSuspect()) {
			return list(bound(range.lifo() ? LAST : FIRST, range, limit, request), range, request);
		}
		StartingPoints.Point start = this.startingPoints.of(range);
		if (start != null) {
			List<Candidate> jobs = list(bound(FIRST_AFTER, range, limit, request).param("after", start.availableAt())
				.param("afterId", start.id()), range, request);
			if (!jobs.isEmpty() || this.startingPoints.isSpared(range)) {
				onCommit.accept(() -> this.startingPoints.resumed(range, last(jobs), jobs.size() == limit));
				return jobs;
			}
		}
		return lockFromTheStart(range, limit, request, onCommit);
	}

	private List<Candidate> lockFromTheStart(ReadyRange range, int limit, ClaimRequest request,
			Consumer<Runnable> onCommit) {
		long before = this.nanoTime.getAsLong();
		try {
			List<Candidate> jobs = list(bound(FIRST, range, limit, request), range, request);
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

	private JdbcClient.StatementSpec bound(String select, ReadyRange range, int limit, ClaimRequest request) {
		return ClaimStrategy.bound(this.database.sql(select), range, request.types())
			.param("inline", this.inlinePayload)
			.param("limit", limit);
	}

	private static List<Candidate> list(JdbcClient.StatementSpec statement, ReadyRange range, ClaimRequest request) {
		return statement.query((row, number) -> Candidate.read(row, range, request.sessionId())).list();
	}

}
