package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.poison.Load;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ReadyRange;

/**
 * Takes the jobs that it has locked; those that somebody else has locked are passed over.
 */
final class SkipLocked implements TakeJobs {

	private static final String UPDATE = "UPDATE jobqueue_job{byPrimary}\n" + CLAIM + "WHERE id IN (:ids)";

	private final Database database;

	private final NextJobs next;

	/**
	 * Creates it.
	 * @param database the database
	 * @param next finds jobs and locks them
	 */
	SkipLocked(Database database, NextJobs next) {
		this.database = database;
		this.next = next;
	}

	@Override
	public LockWaits waits() {
		return LockWaits.USUAL;
	}

	@Override
	public Taking begin(ClaimTransaction claim) {
		return new Taking() {

			@Override
			public List<Candidate> find(ReadyRange range, int limit) {
				return SkipLocked.this.next.find(claim, range, limit, 0);
			}

			@Override
			public List<Candidate> hold(List<Candidate> jobs) {
				return jobs;
			}

			@Override
			public List<ClaimedJob> take(Load.Admitted<ClaimedJob> admitted) {
				SkipLocked.this.take(claim, admitted);
				return admitted.jobs();
			}

		};
	}

	private void take(ClaimTransaction claim, Load.Admitted<ClaimedJob> admitted) {
		Map<Duration, List<Long>> byDeadline = new LinkedHashMap<>();
		for (ClaimedJob job : admitted.jobs()) {
			byDeadline.computeIfAbsent(claim.deadline(job), (key) -> new ArrayList<>()).add(job.claim().id());
		}
		byDeadline.forEach((deadline, all) -> Chunks.of(all)
			.forEach((ids) -> this.database.numbers(UPDATE)
				.param("session", claim.request().sessionId())
				.param("heldLimit", admitted.heldLimit())
				.param("deadline", Utc.micros(deadline))
				.ids(ids)
				.update()));
	}

}
