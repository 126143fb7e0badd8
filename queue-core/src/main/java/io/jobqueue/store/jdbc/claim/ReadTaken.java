package io.jobqueue.store.jdbc.claim;

import java.time.LocalDateTime;
import java.util.List;

import io.jobqueue.database.Database;
import io.jobqueue.store.ReadyRange;

/**
 * Reads the jobs that a session took of a range at one time, from the place in the index
 * on at which it began: what finished jobs have left there before that place is not
 * passed.
 */
final class ReadTaken {

	private static final String SELECT = Candidate.COLUMNS_IF_CLAIMED + """
			FROM jobqueue_job{byClaim}
			WHERE state = 1 AND type_id = :typeId AND queue = :queue AND priority = :priority
			    AND available_at >= :from AND session_id = :session AND claimed_at = :claimedAt
			ORDER BY available_at %1$s, id %1$s""";

	private static final String FIRST = SELECT.formatted("ASC");

	private static final String LAST = SELECT.formatted("DESC");

	private final Database database;

	private final int inlinePayload;

	ReadTaken(Database database, int inlinePayload) {
		this.database = database;
		this.inlinePayload = inlinePayload;
	}

	/**
	 * Reads them, in the order of the range.
	 * @param session the session
	 * @param range the range
	 * @param claimedAt when they were taken, as the database wrote it
	 * @param from since when the first of them is due
	 */
	List<Candidate> read(long session, ReadyRange range, String claimedAt, LocalDateTime from) {
		return this.database.sql(range.lifo() ? LAST : FIRST)
			.param("typeId", range.typeId())
			.param("queue", range.queue())
			.param("priority", range.priority())
			.param("from", from)
			.param("session", session)
			.param("claimedAt", claimedAt)
			.param("inline", this.inlinePayload)
			.query((row, number) -> Candidate.read(row, range, session).unexpired())
			.list();
	}

}
