package io.jobqueue.store.jdbc.prune;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.JobState;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.Keep;

import org.springframework.dao.DuplicateKeyException;

/**
 * How long archived jobs are kept where several applications share a schema: as long as
 * any of them wants. None may prune what another one still needs.
 */
public final class Retention {

	private static final String SELECT = """
			SELECT application, state, keep_seconds, keep_rows,
			    CASE WHEN elsewhere_until > {now} THEN 1 ELSE 0 END AS elsewhere,
			    CASE WHEN seen_at > {now + -1 DAY} THEN 1 ELSE 0 END AS fresh
			FROM jobqueue_retention
			WHERE seen_at > {now + -30 DAY}""";

	private static final String UPDATE = """
			UPDATE jobqueue_retention
			SET keep_seconds = :seconds, keep_rows = :rows, seen_at = {now},
			    elsewhere_until = CASE WHEN :elsewhere = 1 THEN {now + 30 DAY} ELSE elsewhere_until END
			WHERE application = :application AND state = :state""";

	private static final String INSERT = """
			INSERT INTO jobqueue_retention (application, state, keep_seconds, keep_rows, elsewhere_until, seen_at)
			VALUES (:application, :state, :seconds, :rows,
			    CASE WHEN :elsewhere = 1 THEN {now + 30 DAY} ELSE {now} END, {now})""";

	private final Database database;

	public Retention(Database database) {
		this.database = database;
	}

	/**
	 * Finds out how long jobs are to be kept, by one plain read if nothing has changed.
	 */
	public Map<JobState, Keep> longest(String application, Map<JobState, Keep> own) {
		List<Wish> wishes = this.database.read(() -> this.database.sql(SELECT)
			.query((row, number) -> new Wish(row.getString("application"), StateCode.toState(row.getInt("state")),
					new Keep(Duration.ofSeconds(row.getLong("keep_seconds")), row.getLong("keep_rows"),
							row.getInt("elsewhere") == 1),
					row.getInt("fresh") == 1))
			.list());
		Map<JobState, Keep> longest = new EnumMap<>(own);
		own.forEach((state, keep) -> {
			Keep seconds = new Keep(Duration.ofSeconds(keep.age().toSeconds()), keep.rows(), keep.stored());
			if (!wishes.contains(new Wish(application, state, seconds, true))) {
				note(application, state, seconds);
			}
		});
		wishes.forEach((wish) -> longest.computeIfPresent(wish.state(),
				(state, known) -> wish.application().equals(application) ? known.storedIf(wish.keep())
						: known.and(wish.keep())));
		return longest;
	}

	private void note(String application, JobState state, Keep keep) {
		if (write(UPDATE, application, state, keep) == 0) {
			try {
				write(INSERT, application, state, keep);
			}
			catch (DuplicateKeyException ex) {
				// Another node of the application was first, with the same settings.
			}
		}
	}

	private int write(String statement, String application, JobState state, Keep keep) {
		return this.database.transactions()
			.run(() -> this.database.sql(statement)
				.param("application", application)
				.param("state", StateCode.of(state))
				.param("seconds", keep.age().toSeconds())
				.param("rows", keep.rows())
				.param("elsewhere", keep.stored() ? 1 : 0)
				.update());
	}

	/**
	 * How long an application wants jobs of a state to be kept.
	 *
	 * @param fresh whether it said so not long ago
	 */
	private record Wish(String application, JobState state, Keep keep, boolean fresh) {

	}

}
