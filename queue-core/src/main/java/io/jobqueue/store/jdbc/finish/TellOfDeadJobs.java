package io.jobqueue.store.jdbc.finish;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;

/**
 * Enqueues, with the death of a job, the job that tells of it, if some application wants
 * to be told. Whatever another program has written into the row, the new job is a valid
 * one.
 */
final class TellOfDeadJobs {

	private static final String WANTED = """
			FROM jobqueue_job j{byPrimary}
			LEFT JOIN jobqueue_type own ON own.name = j.type AND own.dead_handler = 1 AND CHAR_LENGTH(own.name) <= 50
			LEFT JOIN jobqueue_type every ON every.name = '*' AND every.dead_handler = 1
			WHERE j.id IN (:ids) AND (own.name IS NOT NULL OR every.name IS NOT NULL)
			    AND j.type <> 'jobqueue.dead' AND j.type NOT LIKE 'jobqueue.dead.%'""";

	private static final String SELECT = "SELECT j.id " + WANTED;

	private static final String INSERT = """
			INSERT INTO jobqueue_job (type, queue, priority, payload, available_at, enqueued_at)
			SELECT CASE WHEN own.name IS NULL THEN 'jobqueue.dead' ELSE CONCAT('jobqueue.dead.', own.name) END,
			    CASE WHEN j.queue = '' OR j.queue REGEXP '[^A-Za-z0-9._-]' THEN 'default' ELSE j.queue END,
			    LEAST(9, GREATEST(0, j.priority)),
			    CONCAT('{"job":', j.id, ',"enqueuedMicros":', CASE WHEN {unreadable j.enqueued_at} THEN 'null' ELSE
			        CONCAT('', TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', j.enqueued_at)) END, '}'),
			    {now}, {now}
			""" + WANTED;

	private static final String KEEP = """
			UPDATE jobqueue_archive{byPrimary} SET call_id = :call WHERE id = :id""";

	private final Database database;

	TellOfDeadJobs(Database database) {
		this.database = database;
	}

	/**
	 * Tells of jobs that are about to be archived as dead.
	 * @param ids the jobs, which the transaction has locked
	 * @return the jobs that tell of them, by their ids, as far as somebody wants to know
	 */
	Map<Long, Long> tell(List<Long> ids) {
		Map<Long, Long> calls = new HashMap<>();
		for (List<Long> chunk : Chunks.of(ids)) {
			for (long id : this.database.numbers(SELECT).ids(chunk).query((row, number) -> row.getLong(1))) {
				Long call = this.database.numbers(INSERT).ids(List.of(id)).insert();
				if (call != null) {
					calls.put(id, call);
				}
			}
		}
		return calls;
	}

	/**
	 * Has the archive keep dead jobs until the jobs that tell of them have ended.
	 * @param calls what {@link #tell} has returned
	 */
	void keep(Map<Long, Long> calls) {
		calls.forEach((id, call) -> this.database.numbers(KEEP).param("call", call).param("id", id).update());
	}

}
