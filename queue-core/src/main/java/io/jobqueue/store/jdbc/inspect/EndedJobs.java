package io.jobqueue.store.jdbc.inspect;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;

import org.jspecify.annotations.Nullable;

/**
 * Jobs of a state that has ended, or dead jobs of one cause, the latest first.
 */
final class EndedJobs implements Entries {

	/** The index is read backwards. What no driver reads is left out. */
	private static final String OF_STATE = """
			SELECT $columns, finished_at AS entry_at
			FROM jobqueue_archive{byFinished}
			WHERE state = :what AND %s AND NOT {unreadable finished_at}
			ORDER BY finished_at DESC, id DESC
			LIMIT :limit""".replace("$columns", Entry.COLUMNS);

	/** Many jobs may have ended at one moment. Each is a range of the index. */
	private static final String OF_STATE_SAME_TIME = OF_STATE.formatted("finished_at = :time AND id < :id");

	private static final String OF_STATE_EARLIER = OF_STATE.formatted("finished_at >= :from AND finished_at < :until");

	private static final String OF_CAUSE = """
			SELECT dead.job_id AS id, 4 AS state, dead.queue, dead.type, a.order_key, a.limit_key, dead.died_at AS entry_at
			FROM (SELECT job_id, queue, type, died_at
			      FROM jobqueue_dead_job{byCause}
			      WHERE cause_id = :what AND %s AND NOT {unreadable died_at}
			      ORDER BY died_at DESC, job_id DESC
			      LIMIT :limit) dead
			LEFT JOIN jobqueue_archive a ON a.id = dead.job_id
			ORDER BY dead.died_at DESC, dead.job_id DESC""";

	private static final String OF_CAUSE_SAME_TIME = OF_CAUSE.formatted("died_at = :time AND job_id < :id");

	private static final String OF_CAUSE_EARLIER = OF_CAUSE.formatted("died_at >= :from AND died_at < :until");

	private static final LocalDateTime FIRST = LocalDateTime.of(1970, 1, 2, 0, 0);

	private static final LocalDateTime LAST = LocalDateTime.of(9999, 12, 31, 0, 0);

	private final Database database;

	private final boolean ofCause;

	private final long what;

	private final LocalDateTime from;

	private final LocalDateTime until;

	/**
	 * Describes the list.
	 * @param database the database
	 * @param filter whose state, cause and time say where it begins and ends
	 */
	EndedJobs(Database database, JobFilter filter) {
		this.database = database;
		this.ofCause = filter.cause() != null;
		this.what = (filter.cause() != null) ? filter.cause()
				: StateCode.of(Objects.requireNonNullElse(filter.state(), JobState.DEAD));
		this.from = (filter.from() != null && Utc.of(filter.from()).isAfter(FIRST)) ? Utc.of(filter.from()) : FIRST;
		this.until = (filter.until() != null && Utc.of(filter.until()).isBefore(LAST)) ? Utc.of(filter.until()) : LAST;
	}

	@Override
	public boolean byTime() {
		return true;
	}

	@Override
	public List<Entry> read(@Nullable Place after, int limit) {
		List<Entry> entries = new ArrayList<>();
		LocalDateTime until = this.until;
		if (after != null && after.time() != null) {
			until = after.time().isBefore(this.until) ? after.time() : this.until;
			if (!after.time().isBefore(this.from) && after.time().isBefore(this.until)) {
				entries.addAll(sameTime(after.time(), after.id(), limit));
			}
		}
		if (entries.size() < limit) {
			entries.addAll(earlier(until, limit - entries.size()));
		}
		return entries;
	}

	private List<Entry> sameTime(LocalDateTime time, long id, int limit) {
		return this.database.sql(this.ofCause ? OF_CAUSE_SAME_TIME : OF_STATE_SAME_TIME)
			.param("what", this.what)
			.param("time", time)
			.param("id", id)
			.param("limit", limit)
			.query((row, number) -> Entry.read(row, this.database.dialect(), true))
			.list();
	}

	private List<Entry> earlier(LocalDateTime until, int limit) {
		return this.database.sql(this.ofCause ? OF_CAUSE_EARLIER : OF_STATE_EARLIER)
			.param("what", this.what)
			.param("from", this.from)
			.param("until", until)
			.param("limit", limit)
			.query((row, number) -> Entry.read(row, this.database.dialect(), true))
			.list();
	}

}
