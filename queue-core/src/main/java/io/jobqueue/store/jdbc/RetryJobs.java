package io.jobqueue.store.jdbc;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.store.Finish;

/**
 * retry: RUNNING → READY after a failed attempt. A job that failed in an orderly way did
 * not crash its worker, so it is no longer under suspicion.
 */
final class RetryJobs implements Ending<Finish.Retry> {

	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET state = 0, fence = fence + 1, session_id = 0, crashes = 0, outages = 0, held_limit = 0,
			    deadline_at = '9999-12-31 00:00:00', available_at = TIMESTAMPADD(MICROSECOND, :delay, {now})
			WHERE id IN (:ids)""";

	private final Database database;

	private final StoreErrors errors;

	RetryJobs(Database database, StoreErrors errors) {
		this.database = database;
		this.errors = errors;
	}

	@Override
	public Class<Finish.Retry> type() {
		return Finish.Retry.class;
	}

	@Override
	public void end(List<Finish.Retry> retries, LockClaims.Locked locked) {
		this.errors
			.store(retries.stream().map((retry) -> new StoreErrors.Entry(retry.claim(), retry.failure())).toList());
		Map<Long, Long> delays = new LinkedHashMap<>();
		retries.forEach((retry) -> delays.put(retry.claim().id(), Utc.micros(retry.delay())));
		this.database.numbers(UPDATE).byId("delay", delays).ids(delays.keySet()).update();
	}

}
