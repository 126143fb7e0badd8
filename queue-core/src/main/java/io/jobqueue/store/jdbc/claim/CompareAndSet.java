package io.jobqueue.store.jdbc.claim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;
import io.jobqueue.poison.Load;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.SqlFailure;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes jobs that it has read without locking them, by an update that changes only those
 * whose fences are still what was read. Each change of a ready job raises its fence.
 * <p>
 * Whoever finds that others were quicker begins its next looks in that range at random
 * places further back: workers that read the same jobs would wait for each other at each
 * of them. What is passed over is found by others, or by a later look.
 * <p>
 * The update waits where somebody keeps a job locked. Then the range is claimed from in
 * another way for some time, so that the others in it do not have to wait as well.
 */
final class CompareAndSet implements TakeJobs {

	private static final Logger log = LoggerFactory.getLogger(CompareAndSet.class);

	/**
	 * Names every condition of the read again: a queue may have been paused since, or the
	 * clock set back.
	 */
	private static final String UPDATE = "UPDATE jobqueue_job{byPrimary}\n" + CLAIM + """
			WHERE id IN (:ids) AND fence = :fence AND state = :state AND available_at <= {now} AND expires_at > {now}
			    AND queue NOT IN (SELECT name FROM jobqueue_queue WHERE paused = 1)""";

	private static final String OWN = """
			SELECT id, fence FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state = 1 AND session_id = :session""";

	/** Of a range in which some job is locked, where no read skips it. */
	private static final int MOST_ONE_BY_ONE = 100;

	/** Each has cost a second. */
	private static final int MOST_BLOCKED = 2;

	private final Database database;

	private final NextJobs next;

	private final @Nullable NextJobs unlocked;

	private final LockUnchanged hold;

	private final LockedRanges locked;

	private final Spread spread = new Spread();

	/**
	 * Creates it.
	 * @param database the database
	 * @param next finds jobs without locking them
	 * @param unlocked finds jobs that nobody has locked; null if the database cannot
	 * @param nanoTime the monotonic clock
	 */
	CompareAndSet(Database database, NextJobs next, @Nullable NextJobs unlocked, LongSupplier nanoTime) {
		this.database = database;
		this.next = next;
		this.unlocked = unlocked;
		this.hold = new LockUnchanged(database);
		this.locked = new LockedRanges(nanoTime);
	}

	@Override
	public LockWaits waits() {
		return LockWaits.SHORT;
	}

	@Override
	public boolean takesByOneStatement() {
		return true;
	}

	@Override
	public Taking begin(ClaimTransaction claim) {
		return new Taking() {

			@Override
			public List<Candidate> find(ReadyRange range, int limit) {
				return CompareAndSet.this.find(claim, range, limit);
			}

			@Override
			public List<Candidate> hold(List<Candidate> jobs) {
				return CompareAndSet.this.hold.lock(jobs);
			}

			@Override
			public List<ClaimedJob> take(Load.Admitted<ClaimedJob> admitted) {
				return CompareAndSet.this.take(claim, admitted);
			}

		};
	}

	private List<Candidate> find(ClaimTransaction claim, ReadyRange range, int limit) {
		boolean anyLocked = this.locked.contains(range);
		if (anyLocked && this.unlocked != null) {
			return this.unlocked.find(claim, range, limit, 0);
		}
		if (anyLocked) {
			// Known locked jobs are passed over; the others are taken one by one.
			return this.next.find(claim, range, Math.min(limit, MOST_ONE_BY_ONE), 0)
				.stream()
				.filter((job) -> !this.locked.containsJob(job.id()))
				.toList();
		}
		int skip = this.spread.skip(range, claim.request().limit());
		List<Candidate> jobs = this.next.find(claim, range, limit, skip);
		if (!jobs.isEmpty() || skip == 0) {
			return jobs;
		}
		this.spread.foundNone(range);
		return this.next.find(claim, range, limit, 0);
	}

	private List<ClaimedJob> take(ClaimTransaction claim, Load.Admitted<ClaimedJob> admitted) {
		int taken = 0;
		try {
			for (Map.Entry<Alike, List<ClaimedJob>> alike : Alike.group(claim, admitted.jobs()).entrySet()) {
				if (this.unlocked == null && this.locked.contains(alike.getValue().get(0).range())) {
					taken += takeOneByOne(claim, alike, admitted.heldLimit());
					continue;
				}
				for (List<ClaimedJob> chunk : Chunks.of(alike.getValue())) {
					taken += this.locked.watch(chunk.stream().map(ClaimedJob::range).collect(Collectors.toSet()),
							() -> take(claim, alike.getKey(), chunk, admitted.heldLimit()));
				}
			}
		}
		catch (RuntimeException ex) {
			if (!claim.isSeparate() || !SqlFailure.isConflict(ex)) {
				throw ex;
			}
			// What was taken before is committed.
			log.debug("Not all jobs could be claimed, since other transactions keep some locked", ex);
		}
		List<ClaimedJob> own = (taken == admitted.jobs().size()) ? admitted.jobs() : own(claim, admitted.jobs());
		if (own.size() < taken && claim.isSeparate()) {
			own = this.database.readAgain(own, () -> own(claim, admitted.jobs()));
		}
		this.spread.note(admitted.jobs(), own);
		return own;
	}

	/**
	 * Where one job is locked, the others do not wait for it. What has been waited for in
	 * vain is noted, and not tried again for some time. Each claim begins elsewhere, so
	 * that many locked jobs in a row do not keep those behind them.
	 */
	private int takeOneByOne(ClaimTransaction claim, Map.Entry<Alike, List<ClaimedJob>> alike, int heldLimit) {
		int taken = 0;
		int blocked = 0;
		List<ClaimedJob> turned = new ArrayList<>(alike.getValue());
		Collections.rotate(turned, ThreadLocalRandom.current().nextInt(turned.size()));
		for (ClaimedJob job : turned) {
			try {
				taken += (blocked < MOST_BLOCKED) ? take(claim, alike.getKey(), List.of(job), heldLimit) : 0;
			}
			catch (RuntimeException ex) {
				// A lock wait ends the statement only.
				if (!SqlFailure.isLockWait(ex)) {
					throw ex;
				}
				this.locked.addJob(job.claim().id());
				blocked++;
			}
		}
		return taken;
	}

	private int take(ClaimTransaction claim, Alike alike, List<ClaimedJob> jobs, int heldLimit) {
		this.database.transactions().statementAlone();
		return this.database.numbers(UPDATE)
			.param("session", claim.request().sessionId())
			.param("heldLimit", heldLimit)
			.param("deadline", Utc.micros(alike.deadline()))
			.param("fence", alike.fence() - 1)
			.param("state", StateCode.ready(alike.degree()))
			.ids(jobs.stream().map((job) -> job.claim().id()).toList())
			.update();
	}

	private List<ClaimedJob> own(ClaimTransaction claim, List<ClaimedJob> jobs) {
		Set<Claim> own = new HashSet<>();
		for (List<ClaimedJob> chunk : Chunks.of(jobs)) {
			this.database.numbers(OWN)
				.param("session", claim.request().sessionId())
				.ids(chunk.stream().map((job) -> job.claim().id()).toList())
				.query((row, number) -> own
					.add(new Claim(row.getLong(1), row.getLong(2), claim.request().sessionId())));
		}
		return jobs.stream().filter((job) -> own.contains(job.claim())).toList();
	}

}
