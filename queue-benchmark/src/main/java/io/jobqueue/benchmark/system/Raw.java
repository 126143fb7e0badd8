package io.jobqueue.benchmark.system;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.benchmark.Server;
import io.jobqueue.benchmark.system.RawClaim.Claimed;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The ceiling: the plainest JDBC that does the same claim, fenced check, archive and
 * delete on the same tables in the same batch sizes. It knows one ready range only, no
 * sessions, no outcomes but success, and no errors.
 */
final class Raw implements QueueSystem {

	private static final String CHECK = """
			SELECT id, fence FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE state = 1 AND id IN\s""";

	static final String ARCHIVE = """
			INSERT INTO jobqueue_archive
			    (id, state, finished_at, queue, type, priority, available_at, fence, attempt, max_attempts, timeout_ms,
			     crashes, session_id, claimed_at, enqueued_at, large_payload, payload)
			SELECT id, 3, UTC_TIMESTAMP(6), queue, type, priority, available_at, fence, attempt, max_attempts, timeout_ms,
			     crashes, session_id, claimed_at, enqueued_at, large_payload, payload
			FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE id IN\s""";

	static final String DELETE = "DELETE /*+ INDEX(jobqueue_job PRIMARY) */ FROM jobqueue_job WHERE id IN ";

	private static final String INSERT = "INSERT INTO jobqueue_job (type, payload) VALUES ";

	private static final int CLAIM_BATCH = 1_000;

	private static final int INSERT_BATCH = 500;

	private static final int THREADS = 2;

	private final HikariDataSource pool;

	private final JdbcTemplate sql;

	private final boolean keepSucceeded;

	private final RawClaim.Strategy strategy;

	private final boolean rowLock;

	private final RawRowLock.Candidates candidates = new RawRowLock.Candidates();

	private final List<RawClaim> claims = new CopyOnWriteArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean stopped;

	Raw(Server server, boolean keepSucceeded, RawClaim.Strategy strategy) {
		this(server, keepSucceeded, strategy, false);
	}

	private Raw(Server server, boolean keepSucceeded, RawClaim.Strategy strategy, boolean rowLock) {
		this.pool = server.pool("", 24);
		this.sql = new JdbcTemplate(this.pool);
		this.keepSucceeded = keepSucceeded;
		this.strategy = strategy;
		this.rowLock = rowLock;
	}

	/**
	 * One whose jobs' rows stay locked while their handlers run.
	 */
	static Raw rowLock(Server server) {
		return new Raw(server, true, RawClaim.Strategy.SKIP_LOCKED, true);
	}

	@Override
	public void createTables() {
		Ours.createTables(this.pool);
		this.sql.execute(Work.EFFECT_TABLE);
		if (this.rowLock) {
			this.sql.execute(RawRowLock.START_TABLE);
		}
	}

	@Override
	public void enqueueAll(int jobs) {
		try (Connection connection = this.pool.getConnection()) {
			for (int start = 0; start < jobs; start += INSERT_BATCH) {
				int rows = Math.min(jobs - start, INSERT_BATCH);
				try (PreparedStatement insert = connection
					.prepareStatement(INSERT + "('work', ?)" + ", ('work', ?)".repeat(rows - 1))) {
					for (int i = 1; i <= rows; i++) {
						insert.setString(i, PAYLOAD);
					}
					insert.executeUpdate();
				}
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void fill(Backlog backlog) {
		backlog.fill(this.pool);
	}

	@Override
	public long enqueueOne() {
		try (Connection connection = this.pool.getConnection();
				PreparedStatement insert = connection.prepareStatement(INSERT + "('work', ?)",
						Statement.RETURN_GENERATED_KEYS)) {
			insert.setString(1, PAYLOAD);
			insert.executeUpdate();
			try (ResultSet keys = insert.getGeneratedKeys()) {
				keys.next();
				keys.getLong(1);
				return 0;
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void start(Work work) {
		boolean oneByOne = work.transactional() || this.rowLock;
		for (int i = 0; i < (oneByOne ? work.slots() : THREADS); i++) {
			Thread thread = new Thread(() -> drain(work), "raw-" + i);
			thread.start();
			this.threads.add(thread);
		}
	}

	private void drain(Work work) {
		try (Connection connection = this.pool.getConnection()) {
			connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
			connection.setAutoCommit(false);
			if (this.rowLock) {
				new RawRowLock(this.candidates, connection, work).run(() -> this.stopped);
				return;
			}
			if (this.strategy == RawClaim.Strategy.SKIP_LOCKED) {
				claimAndFinish(this.strategy.on(connection), connection, work);
				return;
			}
			try (Connection other = this.pool.getConnection()) {
				other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
				claimAndFinish(this.strategy.on(other), connection, work);
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void claimAndFinish(RawClaim claims, Connection connection, Work work)
			throws SQLException, InterruptedException {
		this.claims.add(claims);
		int batch = work.transactional() ? CLAIM_BATCH / work.slots() : CLAIM_BATCH;
		batch = Math.max(batch, Math.min(work.chunk(), CLAIM_BATCH));
		while (!this.stopped) {
			List<Claimed> claimed = claims.claim(batch);
			if (claimed.isEmpty()) {
				Thread.sleep(20);
			}
			else if (work.chunk() > 1) {
				try (Statement effects = connection.createStatement()) {
					effects.executeUpdate(Work.effects(claimed.stream().map(Claimed::id)));
				}
				finish(connection, claimed, work);
			}
			else if (work.transactional()) {
				for (Claimed job : claimed) {
					try (PreparedStatement effect = connection.prepareStatement(Work.EFFECT)) {
						effect.setLong(1, job.id());
						effect.executeUpdate();
					}
					finish(connection, List.of(job), work);
				}
			}
			else {
				finish(connection, claimed, work);
			}
		}
	}

	private void finish(Connection connection, List<Claimed> claimed, Work work) throws SQLException {
		List<Claimed> current = new ArrayList<>();
		try (Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery(CHECK + RawClaim.ids(claimed) + " FOR UPDATE")) {
			while (row.next()) {
				current.add(new Claimed(row.getLong(1), row.getLong(2)));
			}
		}
		current.retainAll(Set.copyOf(claimed));
		if (this.keepSucceeded) {
			update(connection, ARCHIVE, current);
		}
		update(connection, DELETE, current);
		connection.commit();
		work.runs().add(current.size());
	}

	private static void update(Connection connection, String update, List<Claimed> jobs) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.executeUpdate(update + RawClaim.ids(jobs));
		}
	}

	@Override
	public boolean hasUnfinished() {
		return this.sql.queryForObject("SELECT EXISTS (SELECT 1 FROM jobqueue_job)", Boolean.class);
	}

	/** An error ends a thread of it, and then no run comes to its end. */
	@Override
	public Incidents incidents() {
		return new Incidents(0, 0, this.claims.stream().mapToLong(RawClaim::lost).sum());
	}

	@Override
	public void close() {
		this.stopped = true;
		for (Thread thread : this.threads) {
			try {
				thread.join();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
		this.pool.close();
	}

}
