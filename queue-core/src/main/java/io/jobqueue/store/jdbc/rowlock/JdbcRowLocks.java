package io.jobqueue.store.jdbc.rowlock;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.RowLocks;

import org.jspecify.annotations.Nullable;

/**
 * Jobs of row-lock queues on a SQL database: hands each step to the class that holds its
 * statements.
 */
public final class JdbcRowLocks implements RowLocks {

	private static final String BEGUN = """
			SELECT job_id, fence FROM jobqueue_start WHERE session_id = :session AND freed = 0""";

	private final Database database;

	private final BeginJob begin;

	private final ClaimBegun claim;

	/** What was begun here and is over, though its row may still be locked. */
	private final Set<Claim> over = ConcurrentHashMap.newKeySet();

	private final FreeLost freeLost;

	private final EndGone endGone;

	/**
	 * Creates the statements.
	 * @param database the database, with the queue's tables in it
	 * @param keepSucceeded whether succeeded jobs are archived
	 */
	public JdbcRowLocks(Database database, boolean keepSucceeded) {
		this.database = database;
		this.begin = new BeginJob(database, keepSucceeded);
		this.claim = new ClaimBegun(database);
		this.freeLost = new FreeLost(database);
		this.endGone = new EndGone(database, this.freeLost);
	}

	@Override
	public @Nullable Hold begin(ClaimedJob job, Duration timeout) {
		return this.begin.begin(job, timeout);
	}

	@Override
	public boolean claim(ClaimedJob job, Duration most) {
		return this.database.transactions().run(() -> this.claim.lockAndClaim(job.claim(), most));
	}

	@Override
	public void giveUp(ClaimedJob job) {
		this.over.add(job.claim());
	}

	@Override
	public Set<Claim> begunBy(long sessionId, boolean inTransaction) {
		return inTransaction ? this.database.transactions().run(() -> readBegunBy(sessionId))
				: this.database.read(() -> readBegunBy(sessionId));
	}

	private Set<Claim> readBegunBy(long sessionId) {
		return new HashSet<>(this.database.sql(BEGUN)
			.param("session", sessionId)
			.query((row, number) -> new Claim(row.getLong("job_id"), row.getLong("fence"), sessionId))
			.list());
	}

	@Override
	public int freeLost() {
		return this.freeLost.run();
	}

	@Override
	public int endGone(UnaryOperator<Duration> elapsed) {
		return this.endGone.run(this.over, elapsed);
	}

}
