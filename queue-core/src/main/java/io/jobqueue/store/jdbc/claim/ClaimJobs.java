package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.JobState;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.poison.Load;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.finish.ExpireJobs;

/**
 * claim: READY → RUNNING. Jobs that have expired are archived on the way.
 */
public final class ClaimJobs {

	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET state = 1, fence = fence + 1, attempt = attempt + 1, session_id = :session, held_limit = :heldLimit,
			    claimed_at = {now}, deadline_at = {now + :deadline MICROSECOND}
			WHERE id IN (:ids)""";

	private static final int MOST_LOOKS = 20;

	private static final int EXPIRE_BATCH = 500;

	private final Database database;

	private final EndJobs end;

	private final ExpireJobs expire;

	private final FlawedJobs flawed;

	private final ClaimStrategy strategy;

	private final Admission admission;

	public ClaimJobs(Database database, ClaimStrategy strategy, Admission admission, EndJobs end, ExpireJobs expire,
			FlawedJobs flawed) {
		this.database = database;
		this.strategy = strategy;
		this.admission = admission;
		this.end = end;
		this.expire = expire;
		this.flawed = flawed;
	}

	/**
	 * Claims jobs. Where it found only expired ones it looks again behind them.
	 */
	public List<ClaimedJob> claim(ClaimRequest request) {
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
		Admission.Gate gate = this.admission.open(request);
		Claimed claimed = lockAndTake(request, gate, gate.ranges(), committed);
		List<ReadyRange> otherwise = gate.rangesOtherwise();
		return (claimed.jobs().isEmpty() && otherwise.size() < gate.ranges().size())
				? lockAndTake(request, gate, otherwise, committed).after(claimed) : claimed;
	}

	private Claimed lockAndTake(ClaimRequest request, Admission.Gate gate, List<ReadyRange> ranges,
			List<Runnable> committed) {
		List<Candidate> candidates = new FairShare(ranges, request.limit())
			.take((range, limit) -> named(range, this.strategy.lock(range, limit, request, committed::add)));
		int cleared = clear(candidates.stream().filter((candidate) -> !candidate.canRun()).toList());
		Load.Admitted<ClaimedJob> admitted = gate
			.admit(candidates.stream().filter(Candidate::canRun).map(Candidate::job).toList());
		take(request, admitted);
		return new Claimed(admitted.jobs(), cleared, committed);
	}

	/**
	 * What is locked here has a handler for its type, so only queue and priority may be
	 * wrong.
	 */
	private static List<Candidate> named(ReadyRange range, List<Candidate> jobs) {
		String flaw = FlawedJobs.flawOf(range);
		return (flaw == null) ? jobs : jobs.stream().map((job) -> job.withFlaw(flaw)).toList();
	}

	/**
	 * Archives what nobody can run.
	 */
	private int clear(List<Candidate> candidates) {
		this.end.archive(JobState.EXPIRED,
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
