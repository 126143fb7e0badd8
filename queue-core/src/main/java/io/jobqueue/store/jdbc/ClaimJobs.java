package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.JobState;
import io.jobqueue.poison.Load;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;

/**
 * claim: READY → RUNNING. Jobs that have expired are archived on the way.
 */
final class ClaimJobs {

	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET state = 1, fence = fence + 1, attempt = attempt + 1, session_id = :session, held_limit = :heldLimit,
			    claimed_at = {now}, deadline_at = TIMESTAMPADD(MICROSECOND, :deadline, {now})
			WHERE id IN (:ids)""";

	private static final int MOST_LOOKS = 20;

	private static final int EXPIRE_BATCH = 500;

	private final Database database;

	private final ArchiveJobs archive;

	private final ExpireJobs expire;

	private final FlawedJobs flawed;

	private final ClaimStrategy strategy;

	private final Quarantine quarantine;

	ClaimJobs(Database database, ClaimStrategy strategy, Quarantine quarantine, ArchiveJobs archive, ExpireJobs expire,
			FlawedJobs flawed) {
		this.database = database;
		this.quarantine = quarantine;
		this.strategy = strategy;
		this.flawed = flawed;
		this.archive = archive;
		this.expire = expire;
	}

	/**
	 * Claims jobs. Where it found only expired ones it looks again behind them.
	 */
	List<ClaimedJob> claim(ClaimRequest request) {
		LocalDateTime from = null;
		for (int looks = 1;; looks++) {
			Claimed claimed = claimOnce(request);
			if (!claimed.jobs().isEmpty() || claimed.cleared() == 0 || looks == MOST_LOOKS) {
				return claimed.jobs();
			}
			from = this.expire.expire(from, EXPIRE_BATCH).next();
		}
	}

	private Claimed claimOnce(ClaimRequest request) {
		Claimed claimed = this.database.transactions().run(() -> lockAndTake(request));
		// Had it been rolled back, the next claim would have to find the same jobs.
		claimed.committed().forEach(Runnable::run);
		return claimed;
	}

	private Claimed lockAndTake(ClaimRequest request) {
		List<Runnable> committed = new ArrayList<>();
		Quarantine.Claimable claimable = this.quarantine.claimable(request.ranges());
		Claimed claimed = lockAndTake(request, claimable, committed);
		// Limited jobs that may not start have taken the places of others.
		return (claimed.jobs().isEmpty() && claimable.hasLimited())
				? lockAndTake(request, claimable.withoutLimited(), committed).after(claimed) : claimed;
	}

	private Claimed lockAndTake(ClaimRequest request, Quarantine.Claimable claimable, List<Runnable> committed) {
		List<Candidate> candidates = new FairShare(claimable.ranges(), request.limit())
			.take((range, limit) -> this.strategy.lock(range, limit, request.types(), committed::add));
		int cleared = clear(candidates.stream().filter((candidate) -> !candidate.canRun()).toList());
		// The commit unlocks those that would be too many beside a suspect.
		Load.Admitted<ClaimedJob> admitted = request.load()
			.admit(candidates.stream().filter(Candidate::canRun).map(Candidate::job).toList(), ClaimedJob::suspicion,
					claimable.permit());
		ClaimedJob solo = admitted.solo();
		if (solo != null) {
			this.quarantine.runsSolo(solo.claim());
		}
		else if (admitted.soloRefused()) {
			this.quarantine.reserve();
		}
		take(request, admitted);
		return new Claimed(admitted.jobs(), cleared, committed);
	}

	/**
	 * Archives what nobody can run.
	 */
	private int clear(List<Candidate> candidates) {
		this.archive.move(JobState.EXPIRED,
				candidates.stream().filter((candidate) -> candidate.flaw() == null).map(Candidate::id).toList());
		List<FlawedJobs.Flawed> flawed = new ArrayList<>();
		for (Candidate candidate : candidates) {
			String flaw = candidate.flaw();
			if (flaw != null) {
				flawed.add(new FlawedJobs.Flawed(candidate.job().claim(), flaw));
			}
		}
		this.flawed.deadLetter(flawed);
		return candidates.size();
	}

	private void take(ClaimRequest request, Load.Admitted<ClaimedJob> admitted) {
		Map<Duration, List<Long>> byDeadline = new LinkedHashMap<>();
		for (ClaimedJob job : admitted.jobs()) {
			Duration deadline = request.deadlines().of(job.type(), job.timeout());
			byDeadline.computeIfAbsent(deadline, (key) -> new ArrayList<>()).add(job.claim().id());
		}
		byDeadline.forEach((deadline, all) -> Chunks.of(all)
			.forEach((ids) -> this.database.numbers(UPDATE)
				.param("session", request.sessionId())
				.param("heldLimit", admitted.heldLimit())
				.param("deadline", Utc.micros(deadline))
				.ids(ids)
				.update()));
	}

	private record Claimed(List<ClaimedJob> jobs, int cleared, List<Runnable> committed) {

		/** The two together, of which the first has taken none. */
		Claimed after(Claimed first) {
			return new Claimed(this.jobs, this.cleared + first.cleared, this.committed);
		}

	}

}
