package io.jobqueue.store.jdbc.order;

import java.util.List;

import io.jobqueue.BlockedKey;
import io.jobqueue.JobError;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The keys that are blocked by the death of a job.
 */
final class BlockedKeys {

	private static final Logger log = LoggerFactory.getLogger(BlockedKeys.class);

	private static final String REMOVE = """
			DELETE FROM jobqueue_order_block WHERE order_key = :key""";

	private static final String ADD = """
			INSERT INTO jobqueue_order_block (order_key, job_id, blocked_at) VALUES (:key, :job, {now})""";

	private static final String LIST = """
			SELECT b.order_key, b.job_id, {readable b.blocked_at} AS blocked_at, e.attempt, e.failed_at, e.error_type,
			    e.message
			FROM jobqueue_order_block b
			LEFT JOIN jobqueue_error e ON e.job_id = b.job_id
			    AND e.fence = (SELECT MAX(last.fence) FROM jobqueue_error last WHERE last.job_id = b.job_id)
			ORDER BY b.blocked_at, b.order_key
			LIMIT :limit""";

	/** The row of the key decides, not the list. */
	private static final String UNBLOCK = """
			UPDATE jobqueue_order_key SET state = 0, head_id = 0 WHERE order_key = :key AND state = 1
			    AND (:every = 1 OR head_id = :job)""";

	/** Another program may have opened the key. */
	private static final String REMOVE_STALE = """
			DELETE FROM jobqueue_order_block
			WHERE order_key = :key AND (:every = 1 OR job_id = :job)
			    AND NOT EXISTS (SELECT 1 FROM jobqueue_order_key WHERE order_key = :key AND state = 1)""";

	private final Database database;

	BlockedKeys(Database database) {
		this.database = database;
	}

	void add(String key, long job) {
		remove(key);
		this.database.sql(ADD).param("key", key).param("job", job).update();
		log.info("The death of job {} blocks the order key '{}' until it is redriven or the key is unblocked", job,
				key);
	}

	void remove(String key) {
		this.database.sql(REMOVE).param("key", key).update();
	}

	List<BlockedKey> list(int limit) {
		return this.database.read(() -> this.database.sql(LIST)
			.param("limit", limit)
			.query((row, number) -> new BlockedKey(this.database.dialect().name(row.getString("order_key")),
					row.getLong("job_id"), Utc.instant(row, "blocked_at"),
					(row.getString("error_type") != null) ? new JobError(row.getInt("attempt"),
							Utc.instant(row, "failed_at"), row.getString("error_type"), row.getString("message"), "")
							: null))
			.list());
	}

	/**
	 * Opens a key, in the transaction that is open.
	 * @param deadJob the job that blocks it; null for any
	 * @return false if it is not blocked, or by another job
	 */
	boolean unblock(String key, @Nullable Long deadJob) {
		boolean unblocked = bound(UNBLOCK, key, deadJob).update() == 1;
		bound(REMOVE_STALE, key, deadJob).update();
		return unblocked;
	}

	private JdbcClient.StatementSpec bound(String statement, String key, @Nullable Long deadJob) {
		return this.database.sql(statement)
			.param("key", key)
			.param("every", (deadJob == null) ? 1 : 0)
			.param("job", (deadJob != null) ? deadJob : 0);
	}

}
