package io.jobqueue.store.jdbc.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.RowLocks.Hold;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.table.StartRecords;
import io.jobqueue.store.jdbc.table.StoreErrors;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Begins jobs of row-lock queues on the connection of their handlers' transactions.
 * <p>
 * The record is committed there, by JDBC, before anything else happens in that
 * transaction. So the server's number of the connection can stand in it, and no second
 * connection is needed, for which slots could wait for each other.
 */
final class BeginJob {

	/**
	 * Locks the row for as long as the record is written: so a job that has ended, or
	 * that somebody else runs, costs no commit. Whether the queue is paused is not asked
	 * here, as little as of a job that was claimed: at REPEATABLE READ the statement
	 * would lock the row of the queue.
	 */
	private static final String RECORD = """
			INSERT INTO jobqueue_start (job_id, fence, session_id, connection_id, server, started_at, deadline_at)
			SELECT id, :fence, :session, {connectionId}, {serverName}, {now}, {now + :most MICROSECOND}
			FROM jobqueue_job{byPrimary}
			WHERE id = :id AND fence = :fence - 1 AND state = 0 AND available_at <= {now} AND expires_at > {now}
			{lockFree}""";

	/** Whoever changes a ready job, or finds it lost, raises its fence. */
	private static final String LOCK = """
			SELECT {idleLimit} FROM jobqueue_job{byPrimary} WHERE id = :id AND fence = :fence - 1 AND state = 0
			FOR UPDATE SKIP LOCKED""";

	/**
	 * A timeout interrupts the handler. After this time more its connection is closed:
	 * from the last statement on by the server, from the start on by rescue.
	 */
	private static final Duration MARGIN = Duration.ofSeconds(30);

	/** So that a time can be computed from it. */
	private static final Duration FOR_EVER = Duration.ofDays(36_500);

	/** Of wait_timeout, in seconds: a year. */
	private static final long LONGEST_IDLE = 31_536_000;

	private final Database ofCaller;

	private final EndJobs end;

	private final ClaimBegun claim;

	private final StartRecords starts;

	BeginJob(Database database, boolean keepSucceeded) {
		this.ofCaller = database.ofCaller();
		this.end = new EndJobs(this.ofCaller, new StoreErrors(this.ofCaller), keepSucceeded);
		this.claim = new ClaimBegun(this.ofCaller);
		this.starts = new StartRecords(this.ofCaller);
	}

	@Nullable Hold begin(ClaimedJob job, Duration timeout) {
		if (!this.ofCaller.callers().isInTransaction()) {
			throw new IllegalStateException("No transaction is open on the job queue's DataSource");
		}
		if (this.ofCaller.transactions().areSavepoints()) {
			throw new IllegalStateException("What is committed here would be what a test has done");
		}
		Claim claim = job.claim();
		boolean forEver = timeout.isZero() || timeout.compareTo(FOR_EVER) > 0;
		Duration most = forEver ? FOR_EVER : timeout.plus(MARGIN);
		if (!record(claim, most)) {
			return null;
		}
		onConnection("Committing a start record", Connection::commit);
		Long idleLimit = lock(claim);
		if (idleLimit == null) {
			// What was read, and locked, stands in the way of others at some levels of
			// isolation.
			onConnection("Letting go of a job", Connection::rollback);
			this.starts.delete(claim);
			onConnection("Deleting a start record", Connection::commit);
			return null;
		}
		return new Locked(claim, job.orderKey() != null, limitIdle(idleLimit, most));
	}

	private boolean record(Claim claim, Duration most) {
		try {
			return this.ofCaller.numbers(RECORD)
				.param("id", claim.id())
				.param("fence", claim.fence())
				.param("session", claim.session())
				.param("most", Utc.micros(most))
				.update() == 1;
		}
		catch (DuplicateKeyException ex) {
			// Somebody else has begun it.
			return false;
		}
	}

	private @Nullable Long lock(Claim claim) {
		return this.ofCaller.numbers(LOCK)
			.param("id", claim.id())
			.param("fence", claim.fence())
			.query((row, number) -> row.getLong(1))
			.stream()
			.findAny()
			.orElse(null);
	}

	/**
	 * Lets the server close the connection when nothing comes over it any more, as when
	 * the host has vanished, and not before.
	 * @return what is to be restored; 0 if nothing is
	 */
	private long limitIdle(long before, Duration most) {
		long seconds = most.toSeconds();
		if (!this.ofCaller.can(Capability.CLOSE_CONNECTIONS) || before == seconds || seconds > LONGEST_IDLE) {
			return 0;
		}
		setIdleLimit(seconds);
		return before;
	}

	private void setIdleLimit(long seconds) {
		this.ofCaller.template().execute("SET SESSION wait_timeout = " + seconds);
	}

	/**
	 * The pool gets the connection back as it was, or not at all.
	 */
	private void restore(long idleLimit) {
		boolean restored = false;
		try {
			setIdleLimit(idleLimit);
			restored = true;
		}
		finally {
			if (!restored) {
				onConnection("Closing a connection", (connection) -> connection.abort(Runnable::run));
			}
		}
	}

	private void onConnection(String what, Step step) {
		Connection connection = DataSourceUtils.getConnection(this.ofCaller.dataSource());
		try {
			step.run(connection);
		}
		catch (SQLException ex) {
			throw new DataAccessResourceFailureException(what, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.ofCaller.dataSource());
		}
	}

	/**
	 * Something to do with a connection.
	 */
	private interface Step {

		void run(Connection connection) throws SQLException;

	}

	/**
	 * A job whose row is locked.
	 */
	private final class Locked implements Hold {

		private final Claim job;

		private final boolean ordered;

		private long idleLimitBefore;

		Locked(Claim job, boolean ordered, long idleLimitBefore) {
			this.job = job;
			this.ordered = ordered;
			this.idleLimitBefore = idleLimitBefore;
		}

		@Override
		public boolean ack() {
			boolean ended = BeginJob.this.end.ackUnclaimed(this.job, this.ordered);
			letGo();
			return ended;
		}

		@Override
		public boolean claim(Duration most) {
			boolean claimed = BeginJob.this.claim.claim(this.job, most);
			letGo();
			if (claimed) {
				onConnection("Committing a claim", Connection::commit);
			}
			return claimed;
		}

		@Override
		public void letGo() {
			long before = this.idleLimitBefore;
			this.idleLimitBefore = 0;
			if (before != 0) {
				restore(before);
			}
		}

	}

}
