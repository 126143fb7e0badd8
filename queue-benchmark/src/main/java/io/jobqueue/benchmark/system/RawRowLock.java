package io.jobqueue.benchmark.system;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

import io.jobqueue.benchmark.system.RawClaim.Claimed;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs whose rows stay locked while their handlers run, one after the other. A start
 * record is committed before, on the same connection, whose number stands in it; that
 * makes two commits for each job. A savepoint tells a transaction that was lost, and the
 * connection is bounded while the job runs and given back as it was. The threads of one
 * process share what they read, so that each job is tried once.
 */
final class RawRowLock {

	static final String START_TABLE = """
			CREATE TABLE raw_start (job_id BIGINT NOT NULL PRIMARY KEY, fence BIGINT NOT NULL, session_id BIGINT NOT NULL,
			    connection_id BIGINT NOT NULL, server VARCHAR(255) NOT NULL, started_at DATETIME(6) NOT NULL,
			    deadline_at DATETIME(6) NOT NULL)""";

	private static final String CANDIDATES = "SELECT id, fence FROM jobqueue_job FORCE INDEX (jobqueue_job_claim) WHERE "
			+ RawClaim.READY + " ORDER BY available_at, id LIMIT ?";

	private static final String START = """
			INSERT IGNORE INTO raw_start (job_id, fence, session_id, connection_id, server, started_at, deadline_at)
			VALUES (?, ?, 1, CONNECTION_ID(), LEFT(CONCAT(@@hostname, ':', @@port), 255), UTC_TIMESTAMP(6),
			    UTC_TIMESTAMP(6) + INTERVAL 3630 SECOND)""";

	private static final String LOCK = """
			SELECT payload FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE id = ? AND fence = ? AND state = 0
			FOR UPDATE SKIP LOCKED""";

	private static final String END = "DELETE FROM raw_start WHERE job_id = ?";

	/** So that a host that has vanished does not keep the row for hours. */
	private static final String LIMIT_IDLE = "SET SESSION wait_timeout = ?";

	private static final long BOUNDED = 3_630;

	private static final long USUAL = 28_800;

	private static final int CANDIDATE_BATCH = 256;

	private final Candidates candidates;

	private final Connection connection;

	private final Work work;

	/**
	 * Creates it for one thread.
	 * @param candidates what the threads share
	 * @param connection one that does not commit by itself
	 * @param work what the handlers do
	 */
	RawRowLock(Candidates candidates, Connection connection, Work work) {
		this.candidates = candidates;
		this.connection = connection;
		this.work = work;
	}

	/**
	 * Runs one job after the other.
	 * @param stopped whether to stop, asked before each job
	 */
	void run(BooleanSupplier stopped) throws SQLException, InterruptedException {
		while (!stopped.getAsBoolean()) {
			if (!runNext()) {
				Thread.sleep(20);
			}
		}
	}

	private boolean runNext() throws SQLException {
		Claimed job = this.candidates.next(this.connection);
		if (job == null) {
			return false;
		}
		int begun = update(this.connection, START, job.id(), job.fence());
		this.connection.commit();
		if (begun == 1) {
			run(job);
		}
		this.candidates.ended(job);
		return true;
	}

	private void run(Claimed job) throws SQLException {
		boolean locked = lock(job);
		if (locked) {
			update(this.connection, LIMIT_IDLE, BOUNDED);
			Savepoint start = this.connection.setSavepoint("start");
			this.work.onStart().accept(job.id());
			if (this.work.transactional()) {
				update(this.connection, Work.EFFECT, job.id());
			}
			this.connection.releaseSavepoint(start);
			update(this.connection, Raw.ARCHIVE + "(?)", job.id());
			update(this.connection, Raw.DELETE + "(?)", job.id());
			update(this.connection, LIMIT_IDLE, USUAL);
		}
		update(this.connection, END, job.id());
		this.connection.commit();
		if (locked) {
			this.work.runs().increment();
		}
	}

	private boolean lock(Claimed job) throws SQLException {
		try (PreparedStatement select = this.connection.prepareStatement(LOCK)) {
			select.setLong(1, job.id());
			select.setLong(2, job.fence());
			try (ResultSet row = select.executeQuery()) {
				return row.next();
			}
		}
	}

	private static int update(Connection connection, String sql, long... values) throws SQLException {
		try (PreparedStatement update = connection.prepareStatement(sql)) {
			for (int i = 0; i < values.length; i++) {
				update.setLong(i + 1, values[i]);
			}
			return update.executeUpdate();
		}
	}

	/**
	 * The next jobs, read without locks.
	 */
	static final class Candidates {

		private final Deque<Claimed> waiting = new ArrayDeque<>();

		private final Set<Claimed> running = new HashSet<>();

		synchronized @Nullable Claimed next(Connection connection) throws SQLException {
			if (this.waiting.isEmpty()) {
				read(connection);
			}
			Claimed next = this.waiting.poll();
			if (next != null) {
				this.running.add(next);
			}
			return next;
		}

		private void read(Connection connection) throws SQLException {
			try (PreparedStatement select = connection.prepareStatement(CANDIDATES)) {
				select.setInt(1, CANDIDATE_BATCH);
				try (ResultSet row = select.executeQuery()) {
					while (row.next()) {
						Claimed job = new Claimed(row.getLong(1), row.getLong(2));
						if (!this.running.contains(job)) {
							this.waiting.add(job);
						}
					}
				}
			}
		}

		synchronized void ended(Claimed job) {
			this.running.remove(job);
		}

	}

}
