package io.jobqueue.spring.archive;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;

import javax.sql.DataSource;

import io.jobqueue.ArchivedJob;
import io.jobqueue.Job;
import io.jobqueue.JobArchiveSink;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Stores archived jobs in a table of another database, {@code jobqueue_archived_job}. A
 * job that comes again replaces itself. The table is made by the application; the files
 * {@code io/jobqueue/archive/mysql.sql} and {@code standard.sql} of this jar have it.
 */
public final class JdbcArchiveSink implements JobArchiveSink {

	private static final String DELETE = """
			DELETE FROM jobqueue_archived_job WHERE id = ? AND fence = ? AND enqueued_at = ?""";

	private static final String EXISTS = """
			SELECT id, fence, enqueued_at, finished_at, scheduled_for, order_key, limit_key, trace, payload, errors
			FROM jobqueue_archived_job
			WHERE 1 = 0""";

	private static final String INSERT = """
			INSERT INTO jobqueue_archived_job (id, fence, enqueued_at, type, queue, state, priority, attempt, max_attempts,
			    crashes, available_at, claimed_at, finished_at, scheduled_for, order_key, limit_key, trace, payload, errors)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";

	/** Two nodes that store the same jobs then wait for each other in one direction. */
	private static final Comparator<ArchivedJob> ORDER = Comparator
		.<ArchivedJob>comparingLong((archived) -> archived.job().id())
		.thenComparingLong(ArchivedJob::fence);

	private static final int MOST_TRIES = 3;

	private final JdbcTemplate sql;

	private final TransactionTemplate transaction;

	/**
	 * Creates a sink.
	 * @param dataSource the other database
	 */
	public JdbcArchiveSink(DataSource dataSource) {
		this.sql = new JdbcTemplate(dataSource);
		// Never a part of what the caller has open. Two nodes may store the same jobs at
		// once: a delete of rows that are not there must lock no gap.
		DefaultTransactionDefinition own = new DefaultTransactionDefinition(
				TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		own.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource), own);
	}

	@Override
	public void store(List<ArchivedJob> jobs) {
		List<ArchivedJob> inOrder = jobs.stream().sorted(ORDER).toList();
		List<@Nullable Object[]> keys = inOrder.stream().map(JdbcArchiveSink::key).toList();
		List<@Nullable Object[]> rows = inOrder.stream().map(JdbcArchiveSink::row).toList();
		for (int tries = 1;; tries++) {
			try {
				replace(keys, rows);
				return;
			}
			catch (DuplicateKeyException | TransientDataAccessException ex) {
				// Another node stores some of the same jobs.
				if (tries == MOST_TRIES) {
					throw ex;
				}
			}
		}
	}

	@Override
	public void check() {
		try {
			this.sql.execute(EXISTS);
		}
		catch (BadSqlGrammarException ex) {
			throw new IllegalStateException(
					"The table jobqueue_archived_job is not there, or is another one. Create it by "
							+ "io/jobqueue/archive/mysql.sql of the starter's jar, for MySQL and MariaDB, or standard.sql",
					ex);
		}
	}

	private void replace(List<@Nullable Object[]> keys, List<@Nullable Object[]> rows) {
		this.transaction.executeWithoutResult((status) -> {
			this.sql.batchUpdate(DELETE, keys);
			this.sql.batchUpdate(INSERT, rows);
		});
	}

	private static @Nullable Object[] key(ArchivedJob archived) {
		return new @Nullable Object[] { archived.job().id(), archived.fence(), utc(archived.job().enqueuedAt()) };
	}

	private static @Nullable Object[] row(ArchivedJob archived) {
		Job job = archived.job();
		return new @Nullable Object[] { job.id(), archived.fence(), utc(job.enqueuedAt()), job.type(), job.queue(),
				job.state().name(), job.priority(), job.attempt(), job.maxAttempts(), job.crashes(),
				utc(job.availableAt()), utc(job.claimedAt()), utc(job.finishedAt()), utc(job.scheduledFor()),
				job.orderKey(), job.limitKey(), job.trace(), job.payload(), ArchivedJobJson.errorsOf(archived) };
	}

	@Override
	public String toString() {
		return "jobqueue_archived_job by JDBC";
	}

	private static @Nullable LocalDateTime utc(@Nullable Instant time) {
		return (time != null) ? LocalDateTime.ofInstant(time, ZoneOffset.UTC) : null;
	}

}
