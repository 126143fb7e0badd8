package io.jobqueue.store.jdbc.claim;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.SqlFailure;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Takes the next jobs of a range by one update, and reads afterwards which ones it took:
 * those of the session that were claimed at this time.
 * <p>
 * The update has to decide everything by itself. It leaves to {@link CompareAndSet} what
 * cannot be decided before the jobs are read: suspects and what is claimed beside them,
 * jobs that have limits and what is claimed beside those, and jobs that expired or cannot
 * run. So it does with ranges in which somebody keeps a job locked, be it an enqueue that
 * is not committed: an update waits for that, a read does not.
 */
final class UpdateLimit implements TakeJobs {

	private static final String CAN_RUN = """
			    AND expires_at > {now} AND NOT {unreadable available_at} AND NOT {unreadable enqueued_at}
			    AND fence BETWEEN 0 AND :maxFence AND attempt BETWEEN 0 AND :maxAttempt AND crashes = 0 AND outages = 0
			""";

	private static final String UPDATE = """
			UPDATE jobqueue_job{byClaim}
			SET state = 1, fence = fence + 1, attempt = attempt + 1, session_id = :session, held_limit = :heldLimit,
			    claimed_at = :claimedAt, deadline_at = CAST(:claimedAt AS DATETIME(6)) + INTERVAL (%s) MICROSECOND
			""" + NextJobs.DUE + CAN_RUN;

	private static final String FIRST_BEHIND = """
			    AND (available_at > :after OR (available_at = :after AND id > :afterId))
			ORDER BY available_at, id
			LIMIT :limit""";

	private static final String LAST = """
			ORDER BY available_at DESC, id DESC
			LIMIT :limit""";

	private static final String FIRST_DUE = """
			SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', available_at), id
			FROM jobqueue_job{byClaim}
			""" + NextJobs.DUE + CAN_RUN + "ORDER BY available_at, id LIMIT 1";

	/** As a text, which no driver rounds. */
	private static final String NOW = "SELECT CAST({now} AS CHAR)";

	private static final Point START = new Point(LocalDateTime.of(1, 1, 1, 0, 0), 0);

	private final Database database;

	private final ReadTaken taken;

	private final StartingPoints startingPoints;

	private final CompareAndSet otherwise;

	private final LockedRanges locked;

	UpdateLimit(Database database, int inlinePayload, CompareAndSet otherwise, LongSupplier nanoTime) {
		this.database = database;
		this.taken = new ReadTaken(database, inlinePayload);
		this.startingPoints = new StartingPoints(nanoTime, new AskServer(database));
		this.otherwise = otherwise;
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
		ClaimRequest request = claim.request();
		// Claims look further than they have room where limits are known.
		boolean byOtherWay = (!claim.isSeparate() && !claim.limitedTypes().isEmpty())
				|| request.load().heldLimit() != Suspicion.NO_LIMIT
				|| request.ranges().stream().anyMatch((range) -> range.isSuspect() || range.limitId() != 0);
		return byOtherWay ? this.otherwise.begin(claim) : new Updates(claim, this.otherwise.begin(claim));
	}

	/**
	 * What one claim takes. What was found is taken.
	 */
	private final class Updates implements Taking {

		private final ClaimTransaction claim;

		private final Taking otherwise;

		private final Map<ReadyRange, List<Candidate>> taken = new HashMap<>();

		private final Set<Long> ids = new HashSet<>();

		Updates(ClaimTransaction claim, Taking otherwise) {
			this.claim = claim;
			this.otherwise = otherwise;
		}

		@Override
		public List<Candidate> find(ReadyRange range, int limit) {
			if (UpdateLimit.this.locked.contains(range) || FlawedJobs.flawOf(range) != null) {
				return this.otherwise.find(range, limit);
			}
			List<Candidate> all = this.taken.computeIfAbsent(range, (key) -> new ArrayList<>());
			List<Candidate> jobs = take(range, limit - all.size());
			all.addAll(jobs);
			jobs.forEach((job) -> this.ids.add(job.id()));
			List<Candidate> found = new ArrayList<>(all);
			if (all.size() < limit) {
				// There may be some left that it does not take.
				found.addAll(this.otherwise.find(range, limit - all.size()));
			}
			return found;
		}

		private List<Candidate> take(ReadyRange range, int limit) {
			try {
				return UpdateLimit.this.locked.watch(List.of(range),
						() -> UpdateLimit.this.take(this.claim, range, limit));
			}
			catch (RuntimeException ex) {
				if (!this.claim.isSeparate() || !SqlFailure.isConflict(ex)) {
					throw ex;
				}
				// What was taken of other ranges is committed.
				return List.of();
			}
		}

		@Override
		public List<Candidate> hold(List<Candidate> jobs) {
			List<Candidate> held = new ArrayList<>();
			List<Candidate> others = new ArrayList<>();
			// What is held is archived, so it is not to be taken any more.
			jobs.forEach((job) -> (this.ids.remove(job.id()) ? held : others).add(job));
			held.addAll(this.otherwise.hold(others));
			return held;
		}

		@Override
		public List<ClaimedJob> take(Load.Admitted<ClaimedJob> admitted) {
			List<ClaimedJob> taken = new ArrayList<>();
			List<ClaimedJob> others = new ArrayList<>();
			admitted.jobs().forEach((job) -> (this.ids.contains(job.claim().id()) ? taken : others).add(job));
			if (taken.size() != this.ids.size() && !this.claim.isSeparate()) {
				throw new IllegalStateException("A claim took " + this.ids.size()
						+ " jobs that nothing is known against, of which " + taken.size() + " were admitted");
			}
			taken.addAll(this.otherwise
				.take(new Load.Admitted<>(others, admitted.heldLimit(), admitted.solo(), admitted.soloRefused())));
			return taken;
		}

	}

	private List<Candidate> take(ClaimTransaction claim, ReadyRange range, int limit) {
		return range.lifo() ? takeBehind(null, claim, range, limit) : this.startingPoints.look(claim, range,
				new StartingPoints.Batch(limit, 0), (start) -> takeFirst(start, claim, range, limit));
	}

	/**
	 * From the very start it begins with the first job that is due. Without that, the
	 * read of what was taken would begin with all that finished jobs have left in the
	 * index.
	 */
	private List<Candidate> takeFirst(@Nullable Point start, ClaimTransaction claim, ReadyRange range, int limit) {
		Point from = (start != null) ? start : justBeforeFirst(claim, range);
		return (from != null) ? takeBehind(from, claim, range, limit) : List.of();
	}

	private @Nullable Point justBeforeFirst(ClaimTransaction claim, ReadyRange range) {
		return bound(FIRST_DUE, claim, range)
			.query((row, number) -> new Point(Utc.of(Utc.instant(row.getLong(1))), row.getLong(2) - 1))
			.optional()
			.orElse(null);
	}

	private List<Candidate> takeBehind(@Nullable Point from, ClaimTransaction claim, ReadyRange range, int limit) {
		String claimedAt = this.database.sql(NOW).query(String.class).single();
		this.database.transactions().statementAlone();
		Point after = (from != null) ? from : START;
		int updated = update((from != null) ? FIRST_BEHIND : LAST, claim, range, claimedAt)
			.param("after", after.availableAt())
			.param("afterId", after.id())
			.param("limit", limit)
			.update();
		if (updated == 0) {
			return List.of();
		}
		Supplier<List<Candidate>> read = () -> this.taken.read(claim.request().sessionId(), range, claimedAt,
				after.availableAt());
		List<Candidate> taken = read.get();
		if (taken.size() < updated && claim.isSeparate()) {
			taken = this.database.readAgain(taken, read);
		}
		// Committed already, some may have been cancelled meanwhile.
		if (taken.size() > updated || (taken.size() < updated && !claim.isSeparate())) {
			throw new IllegalStateException("A claim took " + updated + " jobs and reads " + taken.size()
					+ ": another one of its session has the same time " + claimedAt);
		}
		return taken;
	}

	private JdbcClient.StatementSpec update(String which, ClaimTransaction claim, ReadyRange range, String claimedAt) {
		DeadlineExpression deadline = DeadlineExpression.of(claim.request().deadlines());
		return bound(UPDATE.formatted(deadline.sql()) + which, claim, range).params(deadline.params())
			.param("session", claim.request().sessionId())
			.param("heldLimit", Suspicion.NO_LIMIT)
			.param("claimedAt", claimedAt);
	}

	private JdbcClient.StatementSpec bound(String statement, ClaimTransaction claim, ReadyRange range) {
		Set<String> types = new HashSet<>(claim.request().types());
		types.removeAll(claim.limitedTypes());
		return NextJobs.bound(this.database.sql(statement), range, claim)
			.param("types", types.isEmpty() ? NextJobs.NO_TYPE : types)
			.param("maxFence", FlawedJobs.MAX_FENCE)
			.param("maxAttempt", FlawedJobs.MAX_ATTEMPT);
	}

}
