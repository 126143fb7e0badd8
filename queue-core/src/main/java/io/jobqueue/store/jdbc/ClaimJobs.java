package io.jobqueue.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.JobState;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Company;
import io.jobqueue.store.Line;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * claim: READY → RUNNING. One line is one range of the claim index, read in the index's
 * own order: only the rows that are taken are locked. A queue that is paused before the
 * statement starts yields nothing.
 */
final class ClaimJobs {

	private static final String DUE = """
			WHERE state = :state AND queue = :queue AND priority = :priority AND available_at <= {now}
			    AND type NOT IN (:leftToOthers)
			    AND NOT EXISTS (SELECT 1 FROM jobqueue_queue WHERE name = :queue AND paused = 1)
			""";

	private static final String SELECT = """
			SELECT id, type, queue, attempt, max_attempts, timeout_ms, crashes, fence, enqueued_at,
			    TIMESTAMPDIFF(MICROSECOND, available_at, {now}) AS waited,
			    CASE WHEN expires_at <= {now} THEN 1 ELSE 0 END AS expired,
			    CASE WHEN large_payload = 1 OR OCTET_LENGTH(payload) > :inline THEN 1 ELSE 0 END AS large,
			    CASE WHEN OCTET_LENGTH(payload) <= :inline THEN payload END AS payload
			FROM jobqueue_job{byClaim}
			""" + DUE;

	private static final String FIRST_IN_FIRST_OUT = SELECT + """
			ORDER BY available_at, id
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	private static final String LAST_IN_FIRST_OUT = SELECT + """
			ORDER BY available_at DESC, id DESC
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	/**
	 * H2 reads its index in order only without FOR UPDATE; with it, it reads and locks
	 * every due row.
	 */
	private static final String FIRST_IDS_OF_H2 = "SELECT id FROM jobqueue_job " + DUE + """
			ORDER BY state, queue, priority, available_at
			LIMIT :limit""";

	private static final String LAST_IDS_OF_H2 = "SELECT id FROM jobqueue_job " + DUE + """
			ORDER BY state DESC, queue DESC, priority DESC, available_at DESC
			LIMIT :limit""";

	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET state = 1, fence = fence + 1, attempt = attempt + 1, session_id = :session, company = :company,
			    claimed_at = {now}, deadline_at = TIMESTAMPADD(MICROSECOND, :deadline, {now})
			WHERE id IN (:ids)""";

	/** A list in SQL must not be empty, and no type is. */
	private static final Set<String> NO_TYPE = Set.of("");

	private static final int MOST_LOOKS = 20;

	private static final int EXPIRE_BATCH = 500;

	private final Database database;

	private final ArchiveJobs archive;

	private final ExpireJobs expire;

	private final int inlinePayload;

	ClaimJobs(Database database, ArchiveJobs archive, ExpireJobs expire, int inlinePayload) {
		this.database = database;
		this.archive = archive;
		this.expire = expire;
		this.inlinePayload = inlinePayload;
	}

	/**
	 * Claims jobs. Where it found only expired ones it looks again behind them.
	 */
	List<ClaimedJob> claim(ClaimRequest request) {
		for (int looks = 1;; looks++) {
			Claimed claimed = claimOnce(request);
			if (!claimed.jobs().isEmpty() || claimed.expired() == 0 || looks == MOST_LOOKS) {
				return claimed.jobs();
			}
			this.expire.expire(null, EXPIRE_BATCH);
		}
	}

	private Claimed claimOnce(ClaimRequest request) {
		Set<String> leftToOthers = request.leftToOthers().isEmpty() ? NO_TYPE : request.leftToOthers();
		return this.database.transactions().run(() -> {
			List<Candidate> candidates = new ArrayList<>();
			for (Line line : request.lines()) {
				int room = request.limit() - candidates.size();
				if (room > 0) {
					candidates.addAll(lock(line, room, leftToOthers));
				}
			}
			List<Long> expired = candidates.stream().filter(Candidate::expired).map(Candidate::id).toList();
			this.archive.move(JobState.EXPIRED, expired);
			List<ClaimedJob> jobs = inCompany(
					candidates.stream().filter((candidate) -> !candidate.expired()).map(Candidate::job).toList());
			take(request, jobs);
			return new Claimed(jobs, expired.size());
		});
	}

	private List<Candidate> lock(Line line, int limit, Set<String> leftToOthers) {
		String select = line.lifo() ? LAST_IN_FIRST_OUT : FIRST_IN_FIRST_OUT;
		if (this.database.dialect() != Dialect.H2) {
			return bound(select, line, limit, leftToOthers).query((row, number) -> candidate(row)).list();
		}
		String ids = line.lifo() ? LAST_IDS_OF_H2 : FIRST_IDS_OF_H2;
		List<Long> first = bound(ids, line, limit, leftToOthers).query(Long.class).list();
		return first.isEmpty() ? List.of()
				: bound(select.replace("ORDER BY", "AND id IN (:ids)\nORDER BY"), line, limit, leftToOthers)
					.param("ids", first)
					.query((row, number) -> candidate(row))
					.list();
	}

	private JdbcClient.StatementSpec bound(String select, Line line, int limit, Set<String> leftToOthers) {
		return this.database.sql(select)
			.param("state", line.suspect() ? StateCode.SUSPECT : StateCode.READY)
			.param("queue", line.queue())
			.param("priority", line.priority())
			.param("leftToOthers", leftToOthers)
			.param("inline", this.inlinePayload)
			.param("limit", limit);
	}

	/**
	 * Leaves out, from the end, what would be too much company for a suspect. The commit
	 * unlocks those.
	 */
	private static List<ClaimedJob> inCompany(List<ClaimedJob> jobs) {
		int crashes = 0;
		for (int i = 0; i < jobs.size(); i++) {
			crashes = Math.max(crashes, jobs.get(i).crashes());
			int limit = Company.limit(crashes);
			if (limit != Company.ANY && i + 1 > limit) {
				return jobs.subList(0, i);
			}
		}
		return jobs;
	}

	private static int limitOf(List<ClaimedJob> jobs) {
		return Company.limit(jobs.stream().mapToInt(ClaimedJob::crashes).max().orElse(0));
	}

	private void take(ClaimRequest request, List<ClaimedJob> jobs) {
		int company = limitOf(jobs);
		Map<Duration, List<Long>> byDeadline = new LinkedHashMap<>();
		for (ClaimedJob job : jobs) {
			Duration deadline = request.deadline().apply(job.type(), job.timeout());
			byDeadline.computeIfAbsent(deadline, (key) -> new ArrayList<>()).add(job.claim().id());
		}
		byDeadline.forEach((deadline, all) -> Chunks.of(all)
			.forEach((ids) -> this.database.sql(UPDATE)
				.param("session", request.sessionId())
				.param("company", company)
				.param("deadline", Utc.micros(deadline))
				.param("ids", ids)
				.update()));
	}

	private static Candidate candidate(ResultSet row) throws SQLException {
		ClaimedJob job = new ClaimedJob(new Claim(row.getLong("id"), row.getLong("fence") + 1), row.getString("type"),
				row.getString("queue"), row.getInt("attempt") + 1, row.getInt("max_attempts"),
				Duration.ofMillis(row.getLong("timeout_ms")), row.getInt("crashes"), Utc.instant(row, "enqueued_at"),
				Utc.ofMicros(row.getLong("waited")),
				new ClaimedJob.Payload(row.getString("payload"), row.getInt("large") == 1));
		return new Candidate(job, row.getInt("expired") == 1);
	}

	private record Claimed(List<ClaimedJob> jobs, int expired) {

	}

	private record Candidate(ClaimedJob job, boolean expired) {

		long id() {
			return this.job.claim().id();
		}

	}

}
