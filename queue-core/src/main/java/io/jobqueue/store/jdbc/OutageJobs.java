package io.jobqueue.store.jdbc;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.store.Finish;

/**
 * outage: RUNNING → READY after an attempt that failed because the database was lost. The
 * attempt is not counted, but the outage is, since the job may be what brings the
 * database down.
 */
final class OutageJobs implements Ending<Finish.Outage> {

	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET state = {readyAfterOutage}, fence = fence + 1, session_id = 0,
			    outages = outages + 1, held_limit = 0, attempt = attempt - 1, deadline_at = '9999-12-31 00:00:00',
			    available_at = TIMESTAMPADD(MICROSECOND, :delay, {now})
			WHERE id IN (:ids)""";

	private final Database database;

	private final StoreErrors errors;

	OutageJobs(Database database, StoreErrors errors) {
		this.database = database;
		this.errors = errors;
	}

	@Override
	public Class<Finish.Outage> type() {
		return Finish.Outage.class;
	}

	@Override
	public void end(List<Finish.Outage> outages, LockClaims.Locked locked) {
		this.errors
			.store(outages.stream().map((outage) -> new StoreErrors.Entry(outage.claim(), outage.failure())).toList());
		Map<Long, Long> delays = new LinkedHashMap<>();
		outages.forEach((outage) -> delays.put(outage.claim().id(), Utc.micros(outage.delay())));
		this.database.numbers(UPDATE).byId("delay", delays).ids(delays.keySet()).update();
	}

}
