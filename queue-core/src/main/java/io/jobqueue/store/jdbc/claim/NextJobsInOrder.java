package io.jobqueue.store.jdbc.claim;

import java.util.List;

import io.jobqueue.database.Database;
import io.jobqueue.store.ReadyRange;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Finds the next jobs by one statement, which reads the claim index in its own order. If
 * it locks, only the rows that it returns are locked.
 */
final class NextJobsInOrder implements NextJobs {

	private static final String SELECT = Candidate.COLUMNS + "FROM jobqueue_job{byClaim}\n" + DUE;

	private static final String FIRST_IN_ORDER = """
			ORDER BY available_at, id
			LIMIT :limit OFFSET :skip""";

	private static final String AFTER = """
			    AND (available_at > :after OR (available_at = :after AND id > :afterId))
			""";

	private static final String LAST_IN_ORDER = """
			ORDER BY available_at DESC, id DESC
			LIMIT :limit OFFSET :skip""";

	private final Database database;

	private final String first;

	private final String firstAfter;

	private final String last;

	private final int inlinePayload;

	private final StartingPoints startingPoints;

	NextJobsInOrder(Database database, Look look, int inlinePayload, StartingPoints startingPoints) {
		this.database = database;
		this.first = look.statement(SELECT, FIRST_IN_ORDER);
		this.firstAfter = look.statement(SELECT + AFTER, FIRST_IN_ORDER);
		this.last = look.statement(SELECT, LAST_IN_ORDER);
		this.inlinePayload = inlinePayload;
		this.startingPoints = startingPoints;
	}

	@Override
	public List<Candidate> find(ClaimTransaction claim, ReadyRange range, int limit, int skip) {
		if (range.lifo() || range.isSuspect()) {
			return list(claim, bound(range.lifo() ? this.last : this.first, claim, range, limit, skip), range);
		}
		return this.startingPoints.look(claim, range, new StartingPoints.Batch(limit, skip),
				(start) -> list(claim, from(start, claim, range, limit, skip), range));
	}

	private JdbcClient.StatementSpec from(@Nullable Point start, ClaimTransaction claim, ReadyRange range, int limit,
			int skip) {
		return (start == null) ? bound(this.first, claim, range, limit, skip)
				: bound(this.firstAfter, claim, range, limit, skip).param("after", start.availableAt())
					.param("afterId", start.id());
	}

	private JdbcClient.StatementSpec bound(String select, ClaimTransaction claim, ReadyRange range, int limit,
			int skip) {
		return NextJobs.bound(this.database.sql(select), range, claim)
			.param("inline", this.inlinePayload)
			.param("limit", limit)
			.param("skip", skip);
	}

	private static List<Candidate> list(ClaimTransaction claim, JdbcClient.StatementSpec statement, ReadyRange range) {
		return statement.query((row, number) -> Candidate.read(row, range, claim.request().sessionId())).list();
	}

}
