package io.jobqueue.store.jdbc.limit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.LimitKey;

/**
 * Which jobs have the places of limit keys. A row counts only as long as its job runs
 * with the fence that is written there, or is ready to; so what is left over of a job
 * that has ended, is tried again or was rescued is nothing.
 */
public final class Holders {

	/** Another program may have written any fence, so none is counted down from. */
	private static final String SELECT = """
			SELECT r.limit_id, r.limit_key, r.job_id,
			    CASE WHEN j.state = 1 AND j.fence = r.fence THEN 'RUNNING'
			        WHEN j.state IN ({allReady}) AND j.fence = GREATEST(r.fence, 0) - 1
			            THEN CASE WHEN j.available_at BETWEEN {now + -30 SECOND} AND {now} THEN 'READY_LATELY'
			                WHEN EXISTS (SELECT 1 FROM jobqueue_queue q WHERE q.name = j.queue AND q.paused = 1)
			                    THEN 'READY_IN_PAUSED_QUEUE'
			                ELSE 'READY' END
			        ELSE 'LEFT_OVER' END AS what
			FROM jobqueue_limit_running r{byPrimary} LEFT JOIN jobqueue_job j{byPrimary} ON j.id = r.job_id
			WHERE r.limit_id = :limit AND r.limit_key IN (:keys)""";

	private static final String DELETE = """
			{delete jobqueue_limit_running} WHERE\s""";

	private final Database database;

	public Holders(Database database) {
		this.database = database;
	}

	/**
	 * Reads them, and deletes what is left over.
	 * @param keys the keys, all of them locked
	 * @return who has the places, for each of the keys
	 */
	public Map<LimitKey, OfKey> read(Collection<LimitKey> keys) {
		Map<LimitKey, OfKey> holders = new HashMap<>();
		keys.forEach((key) -> holders.put(key, OfKey.none()));
		List<KeyedRows.Row> over = new ArrayList<>();
		keys.stream()
			.collect(Collectors.groupingBy(LimitKey::limitId, Collectors.mapping(LimitKey::key, Collectors.toList())))
			.forEach((limit, ofLimit) -> Chunks.of(ofLimit).forEach((chunk) -> read(limit, chunk, holders, over)));
		KeyedRows.delete(this.database, DELETE, over);
		return holders;
	}

	private void read(int limit, List<String> keys, Map<LimitKey, OfKey> holders, List<KeyedRows.Row> over) {
		this.database.sql(SELECT).param("limit", limit).param("keys", keys).query((row) -> {
			LimitKey key = new LimitKey(row.getInt(1), this.database.dialect().name(row.getString(2)));
			long job = row.getLong(3);
			What what = What.valueOf(row.getString(4));
			if (what == What.LEFT_OVER) {
				over.add(new KeyedRows.Row(key, job));
			}
			else {
				holders.computeIfPresent(key, (one, known) -> known.with(job, what));
			}
		});
	}

	/**
	 * Gives places to jobs.
	 * @param places the keys, by job
	 * @param fences the fences with which the jobs run, or will, by job
	 */
	public void add(Map<Long, LimitKey> places, Map<Long, Long> fences) {
		for (List<Long> chunk : Chunks.of(places.keySet().stream().sorted().toList())) {
			List<Object> values = new ArrayList<>(4 * chunk.size());
			for (long job : chunk) {
				LimitKey key = Objects.requireNonNull(places.get(job));
				values.addAll(List.of(key.limitId(), key.key(), job, Objects.requireNonNull(fences.get(job))));
			}
			this.database.template()
				.update(this.database.constant("{limitRunningStart}") + this.database
					.expand(" (?, ?, ?, ?)" + ", (?, ?, ?, ?)".repeat(chunk.size() - 1) + " {limitRunningEnd}"),
						values.toArray());
		}
	}

	/**
	 * Who has the places of one key.
	 *
	 * @param running how many jobs run
	 * @param admitted the jobs that are ready and have been given a place
	 * @param lately those that have been ready for a short time only. Perhaps nobody
	 * claims the others: so their places are given to others too, and whoever is claimed
	 * first has one
	 * @param paused how many are ready for longer than that, in a queue that is paused.
	 * As many more are let go on with the next ones, so twice as many each time: else all
	 * jobs of such a queue would be passed over one by one
	 */
	public record OfKey(int running, Set<Long> admitted, Set<Long> lately, int paused) {

		/**
		 * Nobody has a place.
		 */
		static OfKey none() {
			return new OfKey(0, new HashSet<>(), new HashSet<>(), 0);
		}

		private OfKey with(long job, What what) {
			if (what == What.RUNNING) {
				return new OfKey(this.running + 1, this.admitted, this.lately, this.paused);
			}
			this.admitted.add(job);
			if (what == What.READY_LATELY) {
				this.lately.add(job);
			}
			return (what == What.READY_IN_PAUSED_QUEUE)
					? new OfKey(this.running, this.admitted, this.lately, this.paused + 1) : this;
		}

	}

	/**
	 * What a row stands for.
	 */
	private enum What {

		/** Its job has ended, or has another fence by now. */
		LEFT_OVER,

		RUNNING,

		READY_LATELY,

		READY,

		READY_IN_PAUSED_QUEUE

	}

}
