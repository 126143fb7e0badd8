package io.jobqueue.store.jdbc.table;

import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.support.GeneratedKeyHolder;

/**
 * What to do where a new job has the id of an archived one: {@code TRUNCATE jobqueue_job}
 * makes ids start again, and so does the restore of that table alone. The new job keeps
 * the id that its caller knows; the archived one gets a new id, so that nothing is lost.
 * Other rows that are left of a job that is gone give way.
 */
public final class ReusedIds {

	private static final Logger log = LoggerFactory.getLogger(ReusedIds.class);

	private static final String ARCHIVED = """
			SELECT id FROM jobqueue_archive{byPrimary} WHERE id IN (:ids) ORDER BY id FOR UPDATE""";

	/** Each is one dive to the end of a primary key. */
	private static final String LARGEST = """
			SELECT MAX(id)
			FROM (SELECT MAX(id) AS id FROM jobqueue_job
			      UNION ALL SELECT MAX(id) FROM jobqueue_archive
			      UNION ALL SELECT MAX(job_id) FROM jobqueue_payload
			      UNION ALL SELECT MAX(job_id) FROM jobqueue_error) largest""";

	private static final String ASK = """
			INSERT INTO jobqueue_job (type) VALUES ('jobqueue.id')""";

	/** An id that is given moves the counter of MySQL and MariaDB behind it. */
	private static final String TAKE_ID = """
			INSERT INTO jobqueue_job (id, type) VALUES (:id, 'jobqueue.id')""";

	private static final String FREE_ID = """
			{delete jobqueue_job} WHERE id = :id""";

	private static final String MOVE_JOB = """
			UPDATE jobqueue_archive SET id = :new WHERE id = :old""";

	private static final String MOVE_PAYLOAD = """
			UPDATE jobqueue_payload SET job_id = :new WHERE job_id = :old""";

	private static final String MOVE_DEAD_JOB = """
			UPDATE jobqueue_dead_job SET job_id = :new WHERE job_id = :old""";

	/** The newer job's own payload stays. */
	private static final String MOVE_OTHER_PAYLOAD = """
			UPDATE jobqueue_payload SET job_id = :new
			WHERE job_id = :old
			    AND NOT EXISTS (SELECT 1 FROM jobqueue_job WHERE id = :old AND large_payload = 1)""";

	/** The new job's own errors stay. */
	private static final String MOVE_ERRORS = """
			UPDATE jobqueue_error SET job_id = :new
			WHERE job_id = :old
			    AND failed_at <= (SELECT finished_at FROM jobqueue_archive WHERE id = :new)""";

	private static final int MAX_TRIES = 5;

	private final Database database;

	public ReusedIds(Database database) {
		this.database = database;
	}

	/**
	 * Writes jobs to the archive.
	 * @param ids the ids of the jobs
	 * @param write what to do; again, if older jobs were in the way
	 */
	public void write(Collection<Long> ids, Runnable write) {
		write(ids, write, () -> {
		});
	}

	/**
	 * Writes what belongs to jobs, and has a key that belongs to a job that is gone.
	 * @param ids the ids of the jobs
	 * @param write what to do; again, if something was in the way
	 * @param leftovers removes what is left of jobs that are gone
	 */
	public void write(Collection<Long> ids, Runnable write, Runnable leftovers) {
		try {
			write.run();
		}
		catch (DuplicateKeyException ex) {
			moveAway(ids, MOVE_OTHER_PAYLOAD);
			leftovers.run();
			write.run();
		}
	}

	/**
	 * Writes the payloads of new jobs. Those that are there belong to older ones.
	 * @param ids the ids of the jobs
	 * @param write what to do; again, if something was in the way
	 * @param leftovers removes what is left of jobs that are gone
	 */
	public void writePayloads(Collection<Long> ids, Runnable write, Runnable leftovers) {
		try {
			write.run();
		}
		catch (DuplicateKeyException ex) {
			moveAway(ids, MOVE_PAYLOAD);
			leftovers.run();
			write.run();
		}
	}

	/**
	 * Gives archived jobs new ids, in the transaction that is open.
	 * @param ids the ids to be freed, whether there are such archived jobs or not
	 * @return the new ids by the old ones
	 */
	public Map<Long, Long> moveAway(Collection<Long> ids) {
		return moveAway(ids, MOVE_OTHER_PAYLOAD);
	}

	private Map<Long, Long> moveAway(Collection<Long> ids, String payloads) {
		Map<Long, Long> moved = new LinkedHashMap<>();
		for (List<Long> chunk : Chunks.of(List.copyOf(ids))) {
			for (long id : this.database.numbers(ARCHIVED).ids(chunk).query((row, number) -> row.getLong(1))) {
				moved.put(id, move(id, payloads));
			}
		}
		if (!moved.isEmpty()) {
			log.warn(
					"{} archived job(s) have new ids, since newer jobs have got theirs: was jobqueue_job truncated, or "
							+ "restored alone? Old and new: {}",
					moved.size(), moved);
		}
		return moved;
	}

	private long move(long old, String payloads) {
		for (int tries = 1;; tries++) {
			// Plain reads of a transaction that has read before may be old, the counter
			// is not.
			long next = next();
			long largest = largest();
			long id = (next > largest) ? next : largest + tries;
			try {
				take(id);
				for (String update : List.of(MOVE_JOB, MOVE_DEAD_JOB, payloads, MOVE_ERRORS)) {
					this.database.sql(update).param("new", id).param("old", old).update();
				}
				return id;
			}
			catch (DuplicateKeyException ex) {
				// Another node does the same at this moment.
				if (tries == MAX_TRIES) {
					throw ex;
				}
			}
		}
	}

	/**
	 * The largest id that a job has or had, as far as anything is left of it.
	 */
	long largest() {
		Long largest = this.database.template().queryForObject(LARGEST, Long.class);
		return (largest != null) ? largest : 0;
	}

	private void take(long id) {
		this.database.sql(TAKE_ID).param("id", id).update();
		this.database.sql(FREE_ID).param("id", id).update();
	}

	/**
	 * Moves the counter behind all ids that are known, if it stands before one.
	 * @return how many ids are left
	 */
	public long keepUnique() {
		return this.database.transactions().run(() -> {
			long largest = largest();
			long next = next();
			if (next > 0 && next <= largest && this.database.can(Capability.MOVE_ID_COUNTER)) {
				log.warn("The next job would get the id {}, but an archived one has {}: was jobqueue_job truncated, or "
						+ "restored alone? Ids continue after that one", next, largest);
				take(largest + 1);
			}
			return (next > 0) ? Long.MAX_VALUE - Math.max(next, largest) : 0;
		});
	}

	/**
	 * Which id the next job gets; it is used up by asking.
	 * @return the id; 0 if there are no more
	 */
	private long next() {
		GeneratedKeyHolder keys = new GeneratedKeyHolder();
		try {
			this.database.template()
				.update((connection) -> connection.prepareStatement(ASK, new String[] { "id" }), keys);
		}
		catch (DataAccessException ex) {
			if (isAtTheEnd(ex)) {
				return 0;
			}
			throw ex;
		}
		long next = Objects.requireNonNull(keys.getKey()).longValue();
		this.database.sql(FREE_ID).param("id", next).update();
		return next;
	}

	/**
	 * MySQL tries the last id again, MariaDB says that it has none.
	 */
	private static boolean isAtTheEnd(DataAccessException ex) {
		return ex instanceof DuplicateKeyException || (ex.getMostSpecificCause() instanceof SQLException sql
				&& (sql.getErrorCode() == 1467 || sql.getErrorCode() == 167));
	}

}
