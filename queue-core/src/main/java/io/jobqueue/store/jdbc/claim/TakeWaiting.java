package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.QueueMode;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimNext;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.OrderKeys.NowReady;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.jdbc.table.LimitedTypes;
import org.jspecify.annotations.Nullable;

/**
 * WAITING → RUNNING: the next job of an order key is claimed without being ready before,
 * if nothing is to be said against that. All others go the usual way, where claims know
 * of limits, suspects and jobs that cannot run.
 */
public final class TakeWaiting {

	/**
	 * The same as of a job that a claim finds. That of {@code runs} is all that a claim
	 * would ask for.
	 */
	private static final String SELECT = Candidate.COLUMNS + """
			    , fence AS own_fence, session_id, order_key, queue, priority, {readable scheduled_for} AS tick, trace,
			    CASE WHEN type_id = 0 AND limit_key IS NULL AND crashes = 0 AND outages = 0
			            AND available_at <= {now} AND expires_at > {now}
			            AND NOT EXISTS (SELECT 1 FROM jobqueue_queue q
			                            WHERE q.name = jobqueue_job.queue AND (q.paused = 1 OR q.mode <> 0))
			        THEN 1 ELSE 0 END AS runs
			FROM jobqueue_job{byPrimary}
			WHERE id IN (:ids) AND state = 9
			{lockOrWait}""";

	private final Database database;

	private final LimitedTypes limited;

	private final int inlinePayload;

	private final MarkRunning running;

	public TakeWaiting(Database database, LimitedTypes limited, int inlinePayload) {
		this.database = database;
		this.limited = limited;
		this.inlinePayload = inlinePayload;
		this.running = new MarkRunning(database, "    , available_at = {now}\n");
	}

	/**
	 * Locks jobs that wait, but for those that somebody else has locked.
	 * @param ids the jobs
	 * @param next who claims them
	 * @return the jobs
	 */
	public List<Waiting> lock(Collection<Long> ids, ClaimNext next) {
		// While jobs follow each other here nobody finds any ready, and reads them.
		this.limited.refresh(this.database);
		List<Waiting> locked = new ArrayList<>();
		Map<ReadyRange, Boolean> named = new HashMap<>();
		AtomicInteger left = new AtomicInteger(next.most());
		for (List<Long> chunk : Chunks.of(ids.stream().sorted().toList())) {
			locked.addAll(this.database.numbers(SELECT)
				.param("inline", this.inlinePayload)
				.ids(chunk)
				.query((row, number) -> {
					ReadyRange range = new ReadyRange(this.database.dialect().name(row.getString("queue")),
							row.getInt("priority"), 0, Suspicion.Degree.NONE, false, Duration.ZERO, QueueMode.STANDARD);
					Candidate candidate = Candidate.read(row, range, next.sessionId());
					String key = row.getString("order_key");
					ClaimedJob job = candidate.job().with(Utc.instantOrNull(row, "tick"), key, row.getString("trace"));
					boolean runs = row.getInt("runs") == 1 && candidate.canRun() && mayRun(job, next)
							&& named.computeIfAbsent(range, (other) -> FlawedJobs.flawOf(other) == null)
							&& left.getAndDecrement() > 0;
					return new Waiting(
							new Claim(row.getLong("id"), row.getLong("own_fence"), row.getLong("session_id")),
							(key != null) ? this.database.dialect().name(key) : "",
							new NowReady(job.type(), range.queue(), range.priority()), runs ? job.withoutWait() : null);
				}));
		}
		return locked;
	}

	private boolean mayRun(ClaimedJob job, ClaimNext next) {
		return next.types().contains(job.type()) && !this.limited.contains(job.type())
				&& next.queues().test(job.queue());
	}

	/**
	 * Claims jobs that are locked.
	 * @param jobs the jobs
	 * @param next who claims them
	 */
	public void take(List<ClaimedJob> jobs, ClaimNext next) {
		this.running.update(jobs, next.sessionId(), Suspicion.NO_LIMIT,
				(job) -> next.deadlines().of(job.type(), job.timeout()));
	}

	/**
	 * A job that waits and is locked.
	 *
	 * @param claim its id, fence and session as they are
	 * @param key its order key
	 * @param nowReady where it is ready, if it is not claimed
	 * @param job the job as the claim will have it; null if it is to be ready first
	 */
	public record Waiting(Claim claim, String key, NowReady nowReady, @Nullable ClaimedJob job) {

	}

}
