package io.jobqueue.store.jdbc.claim;

import java.util.List;
import java.util.function.Consumer;

import io.jobqueue.database.Database;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ReadyRange;

/**
 * Finds the next jobs by a plain read and locks them by their ids. For H2, which reads
 * its index in order only without FOR UPDATE; with it, it reads and locks every due row.
 */
public final class LockNextJobsById implements ClaimStrategy {

	private static final String FIRST_IDS = "SELECT id FROM jobqueue_job " + DUE + """
			ORDER BY state, type_id, queue, priority, available_at
			LIMIT :limit""";

	private static final String LAST_IDS = "SELECT id FROM jobqueue_job " + DUE + """
			ORDER BY state DESC, type_id DESC, queue DESC, priority DESC, available_at DESC
			LIMIT :limit""";

	private static final String SELECT = Candidate.COLUMNS + "FROM jobqueue_job\n" + DUE + "    AND id IN (:ids)\n";

	private static final String FIRST = SELECT + """
			ORDER BY available_at, id
			FOR UPDATE SKIP LOCKED""";

	private static final String LAST = SELECT + """
			ORDER BY available_at DESC, id DESC
			FOR UPDATE SKIP LOCKED""";

	private final Database database;

	private final int inlinePayload;

	public LockNextJobsById(Database database, int inlinePayload) {
		this.database = database;
		this.inlinePayload = inlinePayload;
	}

	@Override
	public List<Candidate> lock(ReadyRange range, int limit, ClaimRequest request, Consumer<Runnable> onCommit) {
		List<Long> ids = ClaimStrategy
			.bound(this.database.sql(range.lifo() ? LAST_IDS : FIRST_IDS).param("limit", limit), range, request.types())
			.query(Long.class)
			.list();
		return ids.isEmpty() ? List.of()
				: ClaimStrategy.bound(this.database.sql(range.lifo() ? LAST : FIRST), range, request.types())
					.param("ids", ids)
					.param("inline", this.inlinePayload)
					.query((row, number) -> Candidate.read(row, range, request.sessionId()))
					.list();
	}

}
