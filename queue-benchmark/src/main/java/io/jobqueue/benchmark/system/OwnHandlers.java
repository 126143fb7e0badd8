package io.jobqueue.benchmark.system;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.jobqueue.OnDead;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What runs the jobs of this queue.
 */
final class OwnHandlers {

	private OwnHandlers() {
	}

	/**
	 * Makes the handlers.
	 * @param work what the jobs do
	 * @param sql where effects go
	 * @param limited the types with limits
	 */
	static Handlers of(Work work, JdbcTemplate sql, Set<Limited> limited) {
		RetryPolicy retry = new RetryPolicy(3, new BackoffPolicy(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2),
				List.of());
		Handler handler = (work.chunk() > 1) ? new InChunks(sql, work).handler(retry)
				: new Handler("work", (payload, job) -> {
					work.onStart().accept(job.id());
					if (work.transactional()) {
						sql.update(Work.EFFECT, job.id());
					}
					work.runs().increment();
				}, retry, Duration.ofHours(1), work.transactional());
		Handler bulk = new Handler("bulk", (payload, job) -> Thread.sleep(Work.BULK_MILLIS), retry, Duration.ofHours(1),
				false);
		Handlers handlers = new Handlers(List.of(handler, bulk));
		for (Limited limit : limited) {
			handlers.add(new Handler(limit.type(), (payload, job) -> {
				Thread.sleep(limit.millis());
				work.limitedRuns().increment();
			}, retry, Duration.ofHours(1), false, OnDead.CONTINUE, limit.limit().name()));
		}
		return handlers;
	}

}
