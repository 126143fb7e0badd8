package io.jobqueue.store.jdbc.claim;

import java.time.LocalDateTime;

import io.jobqueue.database.Database;
import io.jobqueue.store.ReadyRange;

/**
 * Asks the database what {@link StartingPoints} has to know beside jobs.
 */
record AskServer(Database database) implements StartingPoints.Server {

	private static final String NOW = "SELECT {now}";

	private static final String NOT_SERVED = """
			SELECT COUNT(*) FROM jobqueue_queue WHERE name = :queue AND (paused = 1 OR mode <> :mode)""";

	@Override
	public LocalDateTime now(ClaimTransaction claim) {
		return claim.now(() -> this.database.sql(NOW).query(LocalDateTime.class).single());
	}

	@Override
	public boolean isServed(ReadyRange range) {
		return this.database.sql(NOT_SERVED)
			.param("queue", range.queue())
			.param("mode", range.mode().ordinal())
			.query(Integer.class)
			.single() == 0;
	}

}
