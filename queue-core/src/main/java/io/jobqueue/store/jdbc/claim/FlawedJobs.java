package io.jobqueue.store.jdbc.claim;

import java.util.List;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.table.StoreErrors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * dead-letter, for rows that only another program can have written: those whose values
 * cannot be read, or not be counted on, whose names break the rule, and those in a state
 * that does not exist. Such a row must not keep a worker from all others.
 */
public final class FlawedJobs {

	private static final Logger log = LoggerFactory.getLogger(FlawedJobs.class);

	/**
	 * State comes first in the claim index, so these are three small ranges of it.
	 */
	private static final String UNKNOWN_STATES = """
			SELECT id, fence, session_id, state
			FROM jobqueue_job{byClaim}
			WHERE state < 0 OR state BETWEEN 3 AND 6 OR state > 10
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	/** Leaves room to count on. */
	static final long MAX_FENCE = Long.MAX_VALUE - 1_000_000;

	static final int MAX_ATTEMPT = Integer.MAX_VALUE - 1_000_000;

	private static final int MAX_CRASHES = Short.MAX_VALUE - 1_000;

	private final Database database;

	private final EndJobs end;

	public FlawedJobs(Database database, EndJobs end) {
		this.database = database;
		this.end = end;
	}

	/**
	 * Says what is wrong with a row.
	 * @param numbers its numbers
	 * @param hasTimes whether its times can be read
	 * @return the flaw, or null if there is none
	 */
	static @Nullable String flawOf(Numbers numbers, boolean hasTimes) {
		if (!hasTimes) {
			return "available_at or enqueued_at is not a valid time";
		}
		if (numbers.fence() < 0 || numbers.fence() > MAX_FENCE) {
			return "fence is " + numbers.fence();
		}
		if (numbers.attempt() < 0 || numbers.attempt() > MAX_ATTEMPT) {
			return "attempt is " + numbers.attempt();
		}
		if (numbers.crashes() < 0 || numbers.crashes() > MAX_CRASHES) {
			return "crashes is " + numbers.crashes();
		}
		return (numbers.outages() < 0 || numbers.outages() > MAX_CRASHES) ? "outages is " + numbers.outages() : null;
	}

	/**
	 * Says what is wrong with all jobs of a range. A priority that the table's constraint
	 * refuses would refuse each change of the row.
	 * @return the flaw, or null if there is none
	 */
	static @Nullable String flawOf(ReadyRange range) {
		return flawOf(range, "any");
	}

	/**
	 * Says what is wrong with the jobs of one type in a range.
	 * @return the flaw, or null if there is none
	 */
	static @Nullable String flawOf(ReadyRange range, String type) {
		try {
			NewJob.of(type).queue(range.queue()).priority(range.priority());
			return null;
		}
		catch (IllegalArgumentException ex) {
			return ex.getMessage();
		}
	}

	/**
	 * Archives jobs that the transaction has locked.
	 */
	void deadLetter(List<Flawed> flawed) {
		this.end.deadLetter(flawed.stream()
			.map((one) -> new StoreErrors.Entry(one.claim(),
					Failure.of(0, "row", "The job's row is invalid, so it cannot run: " + one.flaw())))
			.toList());
		// Only now: somebody may have locked their place in the archive, again and again.
		if (!flawed.isEmpty()) {
			log.warn(
					"{} job(s) that another program has written cannot run and become dead, the first of them job {}: {}",
					flawed.size(), flawed.get(0).claim().id(), flawed.get(0).flaw());
		}
	}

	public int deadLetterUnknownStates(int limit) {
		return this.database.transactions().run(() -> {
			List<Flawed> found = this.database.sql(UNKNOWN_STATES)
				.param("limit", limit)
				.query((row, number) -> new Flawed(
						new Claim(row.getLong("id"), row.getLong("fence"), row.getLong("session_id")),
						"there is no state " + row.getInt("state")))
				.list();
			deadLetter(found);
			return found.size();
		});
	}

	/**
	 * The numbers of a row that are counted on.
	 */
	record Numbers(long fence, int attempt, int crashes, int outages) {

	}

	/**
	 * A row that cannot run.
	 *
	 * @param claim its id and the fence that it has
	 * @param flaw what is wrong with it
	 */
	record Flawed(Claim claim, String flaw) {

	}

}
