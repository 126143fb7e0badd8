package io.jobqueue.store.jdbc.order;

import java.util.ArrayList;
import java.util.List;

import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.table.StoreErrors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes jobs dead that wait for their key, because its head is dead: some at a time,
 * since there may be many.
 */
final class ParkJobs {

	private static final Logger log = LoggerFactory.getLogger(ParkJobs.class);

	private static final int SOME = 500;

	private static final String LOCK = """
			SELECT id, fence, session_id, order_key
			FROM jobqueue_job{byPrimary}
			WHERE id IN (:ids) AND state = 9
			{lockOrWait}""";

	private final Database database;

	private final EndJobs end;

	private final Places places;

	ParkJobs(Database database, EndJobs end, Places places) {
		this.database = database;
		this.end = end;
		this.places = places;
	}

	/**
	 * Parks some jobs of a key.
	 * @param row the key's row, which is locked
	 */
	Parked some(KeyRow row) {
		List<Place> first = this.places.first(row.key(), row.until(), row.head(), SOME);
		if (first.isEmpty()) {
			return Parked.OVER;
		}
		List<Claim> jobs = new ArrayList<>();
		this.database.numbers(LOCK).ids(first.stream().map(Place::job).toList()).query((found, number) -> {
			String key = found.getString(4);
			// Another program may have given the place of one key to the job of another.
			return key != null && this.database.dialect().name(key).equals(row.key())
					&& jobs.add(new Claim(found.getLong(1), found.getLong(2), found.getLong(3)));
		});
		Failure why = Failure.of(0, "parked", "Job %d of the order key '%s' is dead, and its type says onDead = PARK"
			.formatted(row.head(), row.key()));
		this.end.deadLetterParked(jobs.stream().map((job) -> new StoreErrors.Entry(job, why)).toList());
		if (!jobs.isEmpty()) {
			log.warn("{} job(s) that waited for the order key '{}' become dead unrun, since its job {} is dead "
					+ "(onDead = PARK). Redrive them if they are to run", jobs.size(), row.key(), row.head());
		}
		return new Parked(jobs.size() + this.places.deleteGone(first), false);
	}

	/**
	 * What has become of the jobs of a key.
	 *
	 * @param changed how many were parked, or have left their places
	 * @param isOver whether there are no more; those that somebody has locked are left
	 */
	record Parked(int changed, boolean isOver) {

		static final Parked OVER = new Parked(0, true);

		static final Parked LATER = new Parked(0, false);

	}

}
