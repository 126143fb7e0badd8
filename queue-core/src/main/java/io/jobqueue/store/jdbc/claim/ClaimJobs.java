package io.jobqueue.store.jdbc.claim;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.jobqueue.JobState;
import io.jobqueue.database.Database;
import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.finish.ExpireJobs;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * claim: READY → RUNNING. Jobs that have expired are archived on the way.
 */
public final class ClaimJobs {

	private static final Logger log = LoggerFactory.getLogger(ClaimJobs.class);

	private static final int MOST_LOOKS = 20;

	/** What is locked has kept such a claim waiting for a second. */
	private static final int MOST_BLOCKED = 3;

	private static final int EXPIRE_BATCH = 500;

	private final Database database;

	private final EndJobs end;

	private final ExpireJobs expire;

	private final FlawedJobs flawed;

	private final ReadMore more;

	private final TakeJobs strategy;

	private final Admission admission;

	private final ClaimLimits limits;

	/** Whether a claim has seen jobs that are to be archived, and could not do it. */
	private volatile boolean clearNext;

	/**
	 * Creates it.
	 * @param database the database
	 * @param strategy how jobs are taken
	 * @param admission which suspects may be taken
	 * @param limits which jobs limits allow to be taken
	 * @param ends how jobs end that nobody can run
	 */
	public ClaimJobs(Database database, TakeJobs strategy, Admission admission, ClaimLimits limits, Ends ends) {
		this.database = database;
		this.strategy = strategy;
		this.admission = admission;
		this.limits = limits;
		this.end = ends.end();
		this.expire = ends.expire();
		this.flawed = ends.flawed();
		this.more = new ReadMore(database);
	}

	public void prepare() {
		this.strategy.prepare();
	}

	/**
	 * Claims jobs. Where it found only expired ones, or others were quicker, it looks
	 * again behind them.
	 */
	public List<ClaimedJob> claim(ClaimRequest request) {
		LocalDateTime from = null;
		int blocked = 0;
		for (int looks = 1;; looks++) {
			Claimed claimed = claimOnce(request);
			blocked += claimed.blocked() ? 1 : 0;
			if (!claimed.isNoneYet() || looks == MOST_LOOKS || blocked == MOST_BLOCKED) {
				return claimed.jobs();
			}
			if (claimed.cleared() > 0) {
				from = this.expire.expire(from, EXPIRE_BATCH).next();
			}
		}
	}

	private Claimed claimOnce(ClaimRequest request) {
		if (this.strategy.takesByOneStatement() && this.database.commitsByItself()
				&& !this.database.plainReads().areLate() && !this.clearNext && isPlain(request)) {
			Optional<Claimed> claimed = this.database.transactions().runSeparately(() -> takeSeparately(request));
			if (claimed.isPresent()) {
				return completed(request, claimed.get().commit());
			}
		}
		return claimInTransaction(request);
	}

	/**
	 * If nothing was taken, or something is to be archived, a transaction follows.
	 */
	private Claimed completed(ClaimRequest request, Claimed separately) {
		int left = request.limit() - separately.jobs().size();
		boolean enough = !separately.jobs().isEmpty() && (left == 0 || !this.clearNext);
		return enough ? separately : claimInTransaction(request.beside(separately.jobs())).with(separately.jobs());
	}

	private static boolean isPlain(ClaimRequest request) {
		return request.load().heldLimit() == Suspicion.NO_LIMIT && request.ranges()
			.stream()
			.allMatch((range) -> !range.isSuspect() && range.limitId() == 0 && FlawedJobs.flawOf(range) == null);
	}

	/**
	 * Takes jobs by statements that commit one by one. What is to be archived is left to
	 * a transaction: at once if there is room for more jobs, else to the next claim.
	 */
	private Claimed takeSeparately(ClaimRequest request) {
		ClaimTransaction claim = ClaimTransaction.separate(request, this.limits.types().names());
		TakeJobs.Taking taking = this.strategy.begin(claim);
		List<Candidate> found = new FairShare(request.ranges(), request.limit(), request.shares()).take(taking::find);
		List<ClaimedJob> jobs = found.stream()
			.filter((candidate) -> candidate.canRun() && !this.limits.isMisplaced(candidate))
			.map(Candidate::job)
			.toList();
		this.clearNext = jobs.size() < found.size();
		List<ClaimedJob> taken = taking.take(new Load.Admitted<>(jobs, Suspicion.NO_LIMIT, null, false));
		taken.forEach((job) -> claim.settled(job.claim().id()));
		return new Claimed(this.more.complete(found, taken), 0, jobs.size() - taken.size(), claim);
	}

	private Claimed claimInTransaction(ClaimRequest request) {
		this.clearNext = false;
		LockWaits waits = this.strategy.waits();
		try {
			return this.database.transactions().run(waits, () -> findAndTake(request)).commit();
		}
		catch (RuntimeException ex) {
			if (waits == LockWaits.USUAL || !SqlFailure.isConflict(ex)) {
				throw ex;
			}
			log.debug("Nothing claimed, since other transactions keep jobs locked", ex);
			return Claimed.BLOCKED;
		}
	}

	private Claimed findAndTake(ClaimRequest request) {
		ClaimTransaction claim = ClaimTransaction.of(request, this.limits.types().names());
		TakeJobs.Taking taking = this.strategy.begin(claim);
		Admission.Gate gate = this.admission.open(request);
		Claimed claimed = findAndTake(claim, taking, gate, gate.ranges());
		List<ReadyRange> otherwise = gate.rangesOtherwise();
		return (claimed.jobs().isEmpty() && otherwise.size() < gate.ranges().size())
				? findAndTake(claim, taking, gate, otherwise).after(claimed) : claimed;
	}

	private Claimed findAndTake(ClaimTransaction claim, TakeJobs.Taking taking, Admission.Gate gate,
			List<ReadyRange> ranges) {
		LimitedClaim limited = this.limits.open(ranges, claim);
		List<Candidate> found = new FairShare(limited.ranges(), claim.request().limit(), claim.request().shares(),
				limited.rooms())
			.take((range, limit) -> limited.find(range, limit, claim, taking));
		List<Candidate> cannotRun = taking.hold(found.stream().filter((candidate) -> !candidate.canRun()).toList());
		cannotRun.forEach((candidate) -> claim.settled(candidate.id()));
		int cleared = clear(cannotRun);
		Load.Admitted<ClaimedJob> admitted = gate
			.admit(found.stream().filter(Candidate::canRun).map(Candidate::job).toList());
		List<ClaimedJob> taken = limited.taken(taking.take(admitted), claim);
		taken.forEach((job) -> claim.settled(job.claim().id()));
		int lost = admitted.jobs().size() - taken.size() + limited.moved() + (claim.isToLookAgain() ? 1 : 0);
		return new Claimed(this.more.complete(found, taken), cleared, lost, claim);
	}

	/**
	 * What is found here has a handler for its type, so only queue and priority may be
	 * wrong.
	 */
	static List<Candidate> named(ReadyRange range, List<Candidate> jobs) {
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

	/**
	 * How jobs end that nobody can run.
	 *
	 * @param end the end of jobs
	 * @param expire the end of ready jobs whose time is over
	 * @param flawed the end of jobs that cannot run
	 */
	public record Ends(EndJobs end, ExpireJobs expire, FlawedJobs flawed) {

	}

}
