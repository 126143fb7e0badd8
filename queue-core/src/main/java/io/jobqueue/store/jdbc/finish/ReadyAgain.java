package io.jobqueue.store.jdbc.finish;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.jobqueue.database.Database;
import io.jobqueue.database.NumberStatement;
import io.jobqueue.database.Utc;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.jdbc.table.LimitedTypes;
import io.jobqueue.store.jdbc.table.StoreErrors;
import io.jobqueue.store.jdbc.table.StoreErrors.Entry;

/**
 * retry, release, outage, rescue: RUNNING → READY. Only a retry counts the attempt.
 */
public final class ReadyAgain {

	/**
	 * The state is the first to be set: what follows changes the columns that it is
	 * computed from.
	 */
	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET %s, type_id = %s, fence = fence + 1, session_id = 0, held_limit = 0,
			    deadline_at = '9999-12-31 00:00:00'
			WHERE id IN (:ids)""";

	/**
	 * The number of its type may have been wrong, or the type retired since; who has no
	 * handler for it sorts it out anew.
	 */
	private static final String OF_ANY_TYPE = "0";

	/** A job that was run, and whose type has a limit, stays where that is regarded. */
	private static final String WHERE_LIMITED = "CASE WHEN type_id IN (:limited) THEN type_id ELSE 0 END";

	/** Otherwise the job keeps its place in the order. */
	private static final String LATER = ", available_at = {now + :delay MICROSECOND}";

	/**
	 * A job that failed in an orderly way did not crash its worker, so it is no longer
	 * under suspicion.
	 */
	private static final String RETRY = UPDATE.formatted("state = 0, crashes = 0, outages = 0" + LATER, WHERE_LIMITED);

	private static final String RELEASE = UPDATE.formatted("state = {readyAgain}, attempt = attempt - 1", OF_ANY_TYPE);

	private static final String RELEASE_LATER = UPDATE.formatted("state = {readyAgain}, attempt = attempt - 1" + LATER,
			OF_ANY_TYPE);

	private static final String OUTAGE = UPDATE
		.formatted("state = {readyAfterOutage}, outages = outages + 1, attempt = attempt - 1" + LATER, WHERE_LIMITED);

	private static final String RESCUE = UPDATE
		.formatted("state = {readyAfterCrash}, crashes = crashes + 1, attempt = attempt - 1", WHERE_LIMITED);

	private final Database database;

	private final StoreErrors errors;

	private final LimitedTypes limited;

	public ReadyAgain(Database database, StoreErrors errors, LimitedTypes limited) {
		this.database = database;
		this.limited = limited;
		this.errors = errors;
	}

	void retry(List<Finish.Retry> retries) {
		storeErrors(retries, Finish.Retry::failure);
		update(RETRY, retries, (retry) -> Utc.micros(retry.delay()));
	}

	void release(List<Finish.Release> releases) {
		update(RELEASE, releases.stream().filter((release) -> release.delay().isZero()).toList());
		update(RELEASE_LATER, releases.stream().filter((release) -> !release.delay().isZero()).toList(),
				(release) -> Utc.micros(release.delay()));
	}

	void outage(List<Finish.Outage> outages) {
		storeErrors(outages, Finish.Outage::failure);
		update(OUTAGE, outages, (outage) -> Utc.micros(outage.delay()));
	}

	void rescue(List<Finish.Rescue> rescues) {
		storeErrors(rescues, Finish.Rescue::failure);
		update(RESCUE, rescues);
	}

	private <T extends Finish> void storeErrors(List<T> finishes, Function<T, Failure> failure) {
		this.errors.store(finishes.stream().map((one) -> new Entry(one.claim(), failure.apply(one))).toList());
	}

	private NumberStatement statement(String statement) {
		return this.database.numbers(statement).list("limited", this.limited.ranges());
	}

	private void update(String statement, List<? extends Finish> finishes) {
		if (!finishes.isEmpty()) {
			statement(statement).ids(finishes.stream().map(Finish::claim).map(Claim::id).toList()).update();
		}
	}

	private <T extends Finish> void update(String statement, List<T> finishes, Function<T, Long> delay) {
		if (!finishes.isEmpty()) {
			Map<Long, Long> delays = new LinkedHashMap<>();
			finishes.forEach((one) -> delays.put(one.claim().id(), delay.apply(one)));
			statement(statement).byId("delay", delays).ids(delays.keySet()).update();
		}
	}

}
