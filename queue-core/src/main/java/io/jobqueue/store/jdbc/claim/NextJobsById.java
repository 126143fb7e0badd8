package io.jobqueue.store.jdbc.claim;

import java.util.List;

import io.jobqueue.database.Database;
import io.jobqueue.store.ReadyRange;

/**
 * Finds the next jobs' ids by a plain read, and then reads, and locks, the jobs by their
 * ids. For H2, which reads its index in order only without FOR UPDATE; with it, it reads
 * and locks every due row.
 */
final class NextJobsById implements NextJobs {

	private static final String SELECT_IDS = "SELECT id FROM jobqueue_job " + DUE;

	private static final String FIRST_IDS = """
			ORDER BY state, type_id, queue, priority, available_at
			LIMIT :limit OFFSET :skip""";

	private static final String LAST_IDS = """
			ORDER BY state DESC, type_id DESC, queue DESC, priority DESC, available_at DESC
			LIMIT :limit OFFSET :skip""";

	private static final String SELECT = Candidate.COLUMNS + "FROM jobqueue_job\n" + DUE + "    AND id IN (:ids)\n";

	private static final String FIRST = "ORDER BY available_at, id";

	private static final String LAST = "ORDER BY available_at DESC, id DESC";

	private final Database database;

	private final String firstIds;

	private final String lastIds;

	private final String first;

	private final String last;

	private final int inlinePayload;

	NextJobsById(Database database, Look look, int inlinePayload) {
		this.database = database;
		this.firstIds = SELECT_IDS + look.condition() + FIRST_IDS;
		this.lastIds = SELECT_IDS + look.condition() + LAST_IDS;
		this.first = look.statement(SELECT, FIRST);
		this.last = look.statement(SELECT, LAST);
		this.inlinePayload = inlinePayload;
	}

	@Override
	public List<Candidate> find(ClaimTransaction claim, ReadyRange range, int limit, int skip) {
		List<Long> ids = NextJobs.bound(this.database.sql(range.lifo() ? this.lastIds : this.firstIds), range, claim)
			.param("limit", limit)
			.param("skip", skip)
			.query(Long.class)
			.list();
		return ids.isEmpty() ? List.of()
				: NextJobs.bound(this.database.sql(range.lifo() ? this.last : this.first), range, claim)
					.param("ids", ids)
					.param("inline", this.inlinePayload)
					.query((row, number) -> Candidate.read(row, range, claim.request().sessionId()))
					.list();
	}

}
