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

import org.jspecify.annotations.Nullable;
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

	/** Whether a claim has seen jobs that are to be archived, and could not do it. */
	private volatile boolean clearNext;

	public ClaimJobs(Database database, TakeJobs strategy, Admission admission, EndJobs end, ExpireJobs expire,
			FlawedJobs flawed) {
		this.database = database;
		this.strategy = strategy;
		this.admission = admission;
		this.end = end;
		this.expire = expire;
		this.flawed = flawed;
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
		return enough ? separately : claimInTransaction(request.withLimit(left)).with(separately.jobs());
	}

	private static boolean isPlain(ClaimRequest request) {
		return request.load().heldLimit() == Suspicion.NO_LIMIT && request.ranges()
			.stream()
			.allMatch((range) -> !range.isSuspect() && FlawedJobs.flawOf(range) == null);
	}

	/**
	 * Takes jobs by statements that commit one by one. What is to be archived is left to
	 * a transaction: at once if there is room for more jobs, else to the next claim.
	 */
	private Claimed takeSeparately(ClaimRequest request) {
		ClaimTransaction claim = ClaimTransaction.separate(request);
		TakeJobs.Taking taking = this.strategy.begin(claim);
		List<Candidate> found = new FairShare(request.ranges(), request.limit(), request.shares()).take(taking::find);
		List<ClaimedJob> jobs = found.stream().filter(Candidate::canRun).map(Candidate::job).toList();
		this.clearNext = jobs.size() < found.size();
		List<ClaimedJob> taken = taking.take(new Load.Admitted<>(jobs, Suspicion.NO_LIMIT, null, false));
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
		ClaimTransaction claim = ClaimTransaction.of(request);
		TakeJobs.Taking taking = this.strategy.begin(claim);
		Admission.Gate gate = this.admission.open(request);
		Claimed claimed = findAndTake(claim, taking, gate, gate.ranges());
		List<ReadyRange> otherwise = gate.rangesOtherwise();
		return (claimed.jobs().isEmpty() && otherwise.size() < gate.ranges().size())
				? findAndTake(claim, taking, gate, otherwise).after(claimed) : claimed;
	}

	private Claimed findAndTake(ClaimTransaction claim, TakeJobs.Taking taking, Admission.Gate gate,
			List<ReadyRange> ranges) {
		List<Candidate> found = new FairShare(ranges, claim.request().limit(), claim.request().shares())
			.take((range, limit) -> named(range, taking.find(range, limit)));
		int cleared = clear(taking.hold(found.stream().filter((candidate) -> !candidate.canRun()).toList()));
		Load.Admitted<ClaimedJob> admitted = gate
			.admit(found.stream().filter(Candidate::canRun).map(Candidate::job).toList());
		List<ClaimedJob> taken = taking.take(admitted);
		return new Claimed(this.more.complete(found, taken), cleared, admitted.jobs().size() - taken.size(), claim);
	}

	/**
	 * What is found here has a handler for its type, so only queue and priority may be
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

	/**
	 * What came of one transaction.
	 *
	 * @param jobs the jobs that are claimed
	 * @param cleared how many jobs were archived
	 * @param lost how many jobs others have claimed, or changed, meanwhile
	 * @param claim the transaction, or null if it was given up because of locks
	 */
	private record Claimed(List<ClaimedJob> jobs, int cleared, int lost, @Nullable ClaimTransaction claim) {

		static final Claimed BLOCKED = new Claimed(List.of(), 0, 0, null);

		/** The two together, of which the first has taken none. */
		Claimed after(Claimed first) {
			return new Claimed(this.jobs, this.cleared + first.cleared, this.lost + first.lost, this.claim);
		}

		/** The same, and what was taken before. */
		Claimed with(List<ClaimedJob> before) {
			List<ClaimedJob> all = new ArrayList<>(before);
			all.addAll(this.jobs);
			return new Claimed(all, this.cleared, this.lost, this.claim);
		}

		Claimed commit() {
			if (this.claim != null) {
				this.claim.committed();
			}
			return this;
		}

		boolean blocked() {
			return this.claim == null;
		}

		/** Whether there may be jobs, though it has none. */
		boolean isNoneYet() {
			return this.jobs.isEmpty() && (this.cleared > 0 || this.lost > 0 || blocked());
		}

	}

}
