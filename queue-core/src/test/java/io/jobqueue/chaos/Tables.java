package io.jobqueue.chaos;

import java.util.List;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What the queue's tables say of workers and their jobs, while a run goes on.
 */
final class Tables {

	private final JdbcTemplate sql;

	Tables(JdbcTemplate sql) {
		this.sql = sql;
	}

	/** The id of a worker's present session; 0 if it has none. */
	long session(WorkerProcess worker) {
		Long id = this.sql.queryForObject("SELECT MAX(id) FROM jobqueue_session WHERE worker = ?", Long.class,
				worker.name());
		return (id != null) ? id : 0;
	}

	/** Whether somebody has ended a session. */
	boolean hasEnded(long session) {
		return this.sql.queryForList("SELECT id FROM jobqueue_session WHERE id = ?", session).isEmpty();
	}

	/** How many jobs a worker's present session holds. */
	long heldBy(WorkerProcess worker) {
		long session = session(worker);
		return count("state = 1 AND session_id = " + session) + begunBy(session).size();
	}

	/** Which jobs of row-lock queues a session has begun. */
	List<Long> begunBy(long session) {
		return this.sql.queryForList("SELECT job_id FROM jobqueue_start WHERE session_id = ? AND freed = 0", Long.class,
				session);
	}

	/**
	 * Which jobs a session holds, except those that a transaction has locked which stands
	 * still.
	 */
	List<Long> heldUnlocked(long session) {
		return this.sql.queryForList(
				"SELECT id FROM jobqueue_job WHERE state = 1 AND session_id = ? FOR UPDATE SKIP LOCKED", Long.class,
				session);
	}

	long count(String condition) {
		Long count = this.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job WHERE " + condition, Long.class);
		return (count != null) ? count : 0;
	}

}
