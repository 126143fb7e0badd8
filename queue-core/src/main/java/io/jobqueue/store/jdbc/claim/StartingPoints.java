package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.SqlFailure;

import org.jspecify.annotations.Nullable;

/**
 * Where the next claim from a range may start: behind the last one. As long as somebody
 * has an old snapshot open (a report, a backup), the entries of finished jobs stay in the
 * claim index, and a claim from the very start walks over all of them. So it does over
 * jobs that this node has no handler for, until they are sorted out.
 * <p>
 * It is a shortcut only. Jobs do not become visible in the order of their times: a late
 * commit, or one that was given back, stands before such a point. So a claim looks from
 * the start again at short intervals, and at once if there is nothing behind the point,
 * unless that look takes long; then it takes a share of the time.
 */
final class StartingPoints {

	/**
	 * Where a slow look passed over everything, the next ones start so long before it. A
	 * job becomes visible some time after the one of its row: with its commit.
	 */
	private static final Duration COMMITS_WITHIN = Duration.ofSeconds(1);

	private final LongSupplier nanoTime;

	private final Server server;

	private final RangePoints points;

	private final FruitlessLooks fruitless;

	/**
	 * Creates it; nothing is known yet.
	 * @param nanoTime the monotonic clock
	 * @param server what is asked beside jobs
	 */
	StartingPoints(LongSupplier nanoTime, Server server) {
		this.nanoTime = nanoTime;
		this.server = server;
		this.points = new RangePoints(nanoTime);
		this.fruitless = new FruitlessLooks(nanoTime);
	}

	/**
	 * Looks for jobs, and notes how far that came once the claim is committed.
	 * @param claim the claim that they are for
	 * @param range the range
	 * @param batch which jobs are wanted
	 * @param behind finds those behind a point, or from the very start if that is null
	 * @return what was found
	 */
	List<Candidate> look(ClaimTransaction claim, ReadyRange range, Batch batch,
			Function<@Nullable Point, List<Candidate>> behind) {
		if (this.fruitless.isLeftAlone(range)) {
			return List.of();
		}
		long begun = this.nanoTime.getAsLong();
		List<Candidate> jobs = lookAround(claim, range, batch, behind);
		if (!batch.saysNothingBy(jobs)) {
			this.fruitless.looked(range, !jobs.isEmpty(), this.nanoTime.getAsLong() - begun);
		}
		return jobs;
	}

	private List<Candidate> lookAround(ClaimTransaction claim, ReadyRange range, Batch batch,
			Function<@Nullable Point, List<Candidate>> behind) {
		Point now = this.points.wasSlow(range) ? Point.upTo(this.server.now(claim).minus(COMMITS_WITHIN)) : null;
		Point start = this.points.of(range);
		if (start != null) {
			List<Candidate> jobs = timed(range, now, start, behind).jobs();
			if (!jobs.isEmpty() || this.points.isSpared(range)) {
				note(claim, range, batch, jobs, now, (end) -> this.points.resumed(range, end, batch.isFull(jobs)));
				return jobs;
			}
		}
		Timed look = timed(range, now, null, behind);
		note(claim, range, batch, look.jobs(), now,
				(end) -> this.points.looked(range, end, batch.isFull(look.jobs()), look.took()));
		return look.jobs();
	}

	private Timed timed(ReadyRange range, @Nullable Point now, @Nullable Point start,
			Function<@Nullable Point, List<Candidate>> behind) {
		long before = this.nanoTime.getAsLong();
		try {
			List<Candidate> jobs = behind.apply(start);
			return new Timed(jobs, this.nanoTime.getAsLong() - before);
		}
		catch (RuntimeException ex) {
			long took = this.nanoTime.getAsLong() - before;
			if (SqlFailure.isOutage(ex)) {
				this.points.timedOut(range, took, now);
			}
			else if (start == null) {
				this.points.failed(range, took);
			}
			throw ex;
		}
	}

	/**
	 * Notes how far a look has come, once the claim is committed. A claim that could not
	 * decide about jobs leaves them to the next one, which is to begin with them.
	 * @param now up to where all was read over that was due when it began; null if that
	 * is not to be noted
	 */
	private void note(ClaimTransaction claim, ReadyRange range, Batch batch, List<Candidate> jobs, @Nullable Point now,
			Consumer<End> note) {
		if (batch.saysNothingBy(jobs)) {
			return;
		}
		// Jobs of others stand in ranges of all types only.
		boolean all = now != null && range.isOfAnyType() && !batch.isFull(jobs)
				&& (!jobs.isEmpty() || this.server.isServed(range));
		claim.onCommit(() -> {
			if (!claim.isToLookAgain()) {
				note.accept(End.of(claim, jobs, all ? now : null));
			}
		});
	}

	/**
	 * What is asked of the database beside jobs.
	 */
	interface Server {

		/** The time at some moment of the claim, in UTC. */
		LocalDateTime now(ClaimTransaction claim);

		/** Whether jobs of a range may be claimed: its queue may have been paused. */
		boolean isServed(ReadyRange range);

	}

	/**
	 * Which jobs are wanted.
	 *
	 * @param limit how many
	 * @param skip how many are passed over before them
	 */
	record Batch(int limit, int skip) {

		boolean isFull(List<Candidate> jobs) {
			return jobs.size() == this.limit;
		}

		/** Among those that were passed over there may be some. */
		boolean saysNothingBy(List<Candidate> jobs) {
			return this.skip > 0 && jobs.isEmpty();
		}

	}

	/**
	 * How far a look has come.
	 *
	 * @param point the place; null if it found no job
	 * @param left whether the job behind it was found and not taken
	 */
	record End(@Nullable Point point, boolean left) {

		/**
		 * Before the first job that the claim has left where it was, or else behind the
		 * last one, or over all that was due.
		 */
		static End of(ClaimTransaction claim, List<Candidate> jobs, @Nullable Point all) {
			for (Candidate job : jobs) {
				if (!claim.isSettled(job.id())) {
					return new End(job.point().justBefore(), true);
				}
			}
			Point last = jobs.isEmpty() ? null : jobs.get(jobs.size() - 1).point();
			return new End((all != null) ? all : last, false);
		}

	}

	private record Timed(List<Candidate> jobs, long took) {

	}

}
