package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.jobqueue.store.Finish;

/**
 * release: RUNNING → READY, the attempt not counted. Without a delay the job keeps its
 * place in the order.
 */
final class ReleaseJobs implements Ending<Finish.Release> {

	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET state = {readyAgain}, fence = fence + 1, session_id = 0, held_limit = 0,
			    attempt = attempt - 1, deadline_at = '9999-12-31 00:00:00',
			    available_at = CASE WHEN :delay > 0 THEN TIMESTAMPADD(MICROSECOND, :delay, {now}) ELSE available_at END
			WHERE id IN (:ids)""";

	private final Database database;

	ReleaseJobs(Database database) {
		this.database = database;
	}

	@Override
	public Class<Finish.Release> type() {
		return Finish.Release.class;
	}

	@Override
	public void end(List<Finish.Release> releases, LockClaims.Locked locked) {
		Map<Duration, List<Long>> byDelay = releases.stream()
			.collect(Collectors.groupingBy(Finish.Release::delay,
					Collectors.mapping((release) -> release.claim().id(), Collectors.toList())));
		byDelay
			.forEach((delay, ids) -> this.database.numbers(UPDATE).param("delay", Utc.micros(delay)).ids(ids).update());
	}

}
