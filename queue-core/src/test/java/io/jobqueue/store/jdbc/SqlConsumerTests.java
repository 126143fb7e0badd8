package io.jobqueue.store.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.TypeRules;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * The statements by which programs in other languages run jobs, as they stand in the
 * contract.
 */
@ForEachDatabase
class SqlConsumerTests extends StoreTests {

	private static final Path PYTHON = Path.of("..", "examples", "python-worker", "jobqueue_worker.py");

	/** A comment that begins with the statement's name, then the statement. */
	private static final Pattern STATEMENT = Pattern.compile("-- ([a-z-]+)[^\n]*\n([^;]*);");

	private static final int SUCCEEDED = 3;

	private static final int DEAD = 4;

	private final Map<String, Object> values = new HashMap<>();

	private Map<String, String> statements;

	private NamedParameterJdbcTemplate sql;

	private TransactionTemplate transaction;

	@BeforeEach
	void readContract() throws IOException {
		assumeFalse(this.testDatabase.isH2(), "they are MySQL's");
		this.statements = statements();
		this.sql = new NamedParameterJdbcTemplate(dataSource());
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource()));
		this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.values.putAll(Map.of("session", SESSION, "worker", "python", "timeout", 15, "queues", "", "types",
				List.of("work"), "names", "work", "type", "work", "tries", 0, "attempts", 3, "busy", 1));
		this.values.putAll(Map.of("type_ids", List.of(0), "deadline", 60, "delay", 0.5, "attempt", 1, "error",
				"ValueError", "message", "no", "trace", ""));
	}

	private static Map<String, String> statements() throws IOException {
		Map<String, String> statements = new LinkedHashMap<>();
		Matcher matcher = STATEMENT.matcher(Files.readString(SqlContractTests.CONTRACT));
		while (matcher.find()) {
			statements.put(matcher.group(1), matcher.group(2));
		}
		return statements;
	}

	@Test
	void theWorkerInPythonSendsTheStatementsOfTheContract() throws IOException {
		String python = Files.readString(PYTHON);
		Map<String, String> constants = new HashMap<>();
		Matcher constant = Pattern.compile("(?m)^([A-Z_]+) = f?(\"\"\"|\")(.*?)\\2$", Pattern.DOTALL).matcher(python);
		while (constant.find()) {
			constants.put(constant.group(1), constant.group(3));
		}
		for (String name : List.copyOf(constants.keySet())) {
			constants.replaceAll((other, text) -> text.replace("{" + name + "}", constants.get(name)));
		}
		String all = normalized(String.join("\n", constants.values()) + "\n" + python);
		assertThat(this.statements).hasSizeGreaterThan(15);
		this.statements.forEach((name, statement) -> assertThat(all).as(name).contains(normalized(statement)));
	}

	private static String normalized(String statement) {
		return statement.replace("{{", "{")
			.replace("}}", "}")
			.replaceAll("%\\((\\w+)\\)s", ":$1")
			.replaceAll("IN \\((:\\w+)\\)", "IN $1")
			.replaceAll("\\s+", " ")
			.trim();
	}

	@Test
	void aSessionIsOpenedAndProlongedAndClosed() {
		assertThat(update("open-session")).isOne();
		assertThat(new JdbcWorkerSessions(this.database).list()).singleElement()
			.satisfies((session) -> assertThat(session.types()).containsExactly("work"));
		assertThat(update("heartbeat")).isOne();
		assertThat(update("heartbeat")).as("at the same instant").isOne();
		assertThat(update("close-session")).isOne();
		assertThat(update("heartbeat")).as("after its end").isZero();
	}

	@Test
	void aTypeHasTheNumberThatJavaWorkersGiveIt() {
		assertThat(query("type-number")).isEmpty();
		assertThat(update("new-type")).isOne();
		Object number = query("type-number").get(0).get("id");
		assertThat(update("describe-type")).isOne();
		JdbcTemplate plain = new JdbcTemplate(dataSource());
		plain.update("DELETE FROM jobqueue_type");
		assertThat(this.store.registerTypes(Map.of("work", new TypeRules(RetryPolicy.DEFAULT)))).containsEntry("work",
				((Number) number).intValue());

		this.values.put("type", "other");
		plain.update("INSERT INTO jobqueue_type (id, name) SELECT GREATEST(1, CRC32('other') >> 1), 'in-the-way'");
		assertThat(update("new-type")).as("another type has the number").isZero();
		this.values.put("tries", 1);
		assertThat(update("new-type")).isOne();
	}

	@Test
	void aJobIsClaimedAndAcked() {
		long id = enqueue();
		Claim claim = claim();
		assertThat(claim).isEqualTo(new Claim(id, 1, SESSION));
		assertThat(this.store.heldBy(SESSION, false)).containsExactly(claim);
		assertThat(claim()).as("what is left").isNull();
		assertThat(end(SUCCEEDED)).isTrue();
		assertThat(find(id).state()).isEqualTo(JobState.SUCCEEDED);
		assertThat(find(id).attempt()).isOne();
		assertThat(end(SUCCEEDED)).as("again").isFalse();
	}

	@Test
	void aStaleClaimChangesNothing() {
		long id = enqueue();
		Claim claim = claim();
		this.store.finish(List.of(new Finish.Release(claim, Duration.ZERO)));
		assertThat(end(SUCCEEDED)).isFalse();
		assertThat(update("retry")).isZero();
		assertThat(update("release")).isZero();
		assertThat(update("outage")).isZero();
		assertThat(query("own")).isEmpty();
		assertThat(find(id).state()).isEqualTo(JobState.READY);
	}

	@Test
	void aJobIsTriedAgainWithItsError() {
		long id = enqueue();
		claim();
		this.transaction.executeWithoutResult((status) -> {
			assertThat(update("retry")).isOne();
			assertThat(update("error")).isPositive();
		});
		Job job = find(id);
		assertThat(job.state()).isEqualTo(JobState.READY);
		assertThat(job.lastError()).hasValueSatisfying((error) -> assertThat(error.message()).isEqualTo("no"));
		assertThat(claim()).as("not before its time").isNull();
	}

	@Test
	void aJobIsDeadWithItsError() {
		long id = enqueue();
		claim();
		assertThat(end(DEAD)).isTrue();
		assertThat(update("error")).isPositive();
		assertThat(find(id).state()).isEqualTo(JobState.DEAD);
		assertThat(this.store.redrive(List.of(id))).isOne();
		assertThat(claim().fence()).as("it goes on").isGreaterThan(1);
	}

	@Test
	void aJobIsReleased() {
		long id = enqueue();
		claim();
		assertThat(update("release")).isOne();
		assertThat(find(id).attempt()).isZero();
		claim();
		assertThat(query("own")).singleElement()
			.satisfies((own) -> assertThat(own.get("fence")).isEqualTo(this.values.get("fence")));
		assertThat(update("outage")).isOne();
		assertThat(find(id).attempt()).isZero();
		assertThat(claim()).as("not before its time").isNull();
	}

	@Test
	void aJobEndsThoughTheArchiveHasItsId() {
		long id = enqueue();
		claim();
		new JdbcTemplate(dataSource())
			.update("INSERT INTO jobqueue_archive SELECT id, 4, UTC_TIMESTAMP(6), queue, type, "
					+ "priority, available_at, fence, attempt, max_attempts, timeout_ms, crashes, session_id, claimed_at, "
					+ "enqueued_at, scheduled_for, NULL, NULL, NULL, NULL, large_payload, payload FROM jobqueue_job");
		assertThat(end(SUCCEEDED)).isTrue();
		assertThat(find(id).state()).as("the older one").isEqualTo(JobState.DEAD);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aDeadJobIsKeptForTheOneThatTellsOfIt(boolean wanted) {
		JdbcTemplate all = new JdbcTemplate(dataSource());
		long id = enqueue();
		all.update("DELETE FROM jobqueue_type");
		all.update("INSERT INTO jobqueue_type (id, name, dead_handler) SELECT 77, type, ? FROM jobqueue_job", wanted);
		claim();
		this.values.put("end", DEAD);
		this.transaction.executeWithoutResult((status) -> {
			// Leaves an id behind that has nothing to do with it.
			this.sql.getJdbcTemplate().update("INSERT INTO jobqueue_job (type) VALUES ('any')");
			update("archive");
			assertThat(update("tell-of-dead")).isEqualTo(wanted ? 1 : 0);
			update("keep-for-that");
			assertThat(update("delete")).isOne();
		});
		assertThat(all.queryForObject("SELECT call_id FROM jobqueue_archive WHERE id = ?", Long.class, id)).isEqualTo(
				wanted ? all.queryForObject("SELECT id FROM jobqueue_job WHERE type LIKE 'jobqueue.dead.%'", Long.class)
						: null);
		all.update("DELETE FROM jobqueue_type");
	}

	@Test
	void suspectsWaitForTheQuarantine() {
		long id = enqueue();
		new JdbcTemplate(dataSource()).update("UPDATE jobqueue_job SET state = 2, crashes = 1");
		assertThat(query("ranges")).singleElement()
			.satisfies((range) -> assertThat(((Number) range.get("state")).intValue()).isEqualTo(2));
		assertThat(claim()).isEqualTo(new Claim(id, 1, SESSION));
		assertThat(update("release")).isOne();
		assertThat(new JdbcTemplate(dataSource()).queryForObject("SELECT state FROM jobqueue_job", Integer.class))
			.isEqualTo(2);
		new JdbcTemplate(dataSource())
			.update("UPDATE jobqueue_quarantine SET reserved_until = UTC_TIMESTAMP(6) + INTERVAL 2 SECOND");
		assertThat(claim()).as("while a turn is reserved").isNull();
		new JdbcTemplate(dataSource()).update(
				"UPDATE jobqueue_quarantine SET reserved_until = '1970-01-01', " + "solo_job_id = " + enqueueSolo());
		assertThat(claim()).as("while one runs solo").isNull();
	}

	/** A small table is read whole unless a statement names its index. */
	@ParameterizedTest
	@ValueSource(strings = { "archive", "delete", "retry", "release", "outage", "next", "own", "ranges" })
	void noStatementWaitsForOthersJobs(String statement) throws Exception {
		enqueue();
		claim();
		Map<String, Object> own = Map.copyOf(this.values);
		long others = enqueue();
		claim();
		long ready = enqueue();
		this.values.putAll(own);
		this.values.put("end", SUCCEEDED);
		try (Connection holder = dataSource().getConnection()) {
			holder.setAutoCommit(false);
			try (Statement lock = holder.createStatement()) {
				lock.execute("UPDATE jobqueue_job SET held_limit = 7, type_id = 7 WHERE id = " + others);
				lock.execute("UPDATE jobqueue_job SET held_limit = 7 WHERE id = " + ready);
				this.transaction.executeWithoutResult((status) -> {
					this.sql.getJdbcTemplate().execute("SET SESSION innodb_lock_wait_timeout = 1");
					try {
						this.sql.execute(this.statements.get(statement), this.values, PreparedStatement::execute);
					}
					finally {
						this.sql.getJdbcTemplate().execute("SET SESSION innodb_lock_wait_timeout = DEFAULT");
					}
				});
			}
			finally {
				holder.rollback();
				holder.setAutoCommit(true);
			}
		}
	}

	private long enqueueSolo() {
		long id = enqueue();
		new JdbcTemplate(dataSource()).update("UPDATE jobqueue_job SET state = 1, outages = 4 WHERE id = ?", id);
		return id;
	}

	@Test
	void whatJavaWorkersHaveClaimedIsLeftAlone() {
		enqueue();
		List<ClaimedJob> claimed = claim(10);
		assertThat(claimed).hasSize(1);
		assertThat(claim()).isNull();
	}

	private long enqueue() {
		return enqueue(NewJob.of("work", "any"));
	}

	private Job find(long id) {
		return this.store.find(id).orElseThrow();
	}

	/** What the contract says of a claim. */
	private Claim claim() {
		for (Map<String, Object> range : query("ranges")) {
			this.values.putAll(range);
			Claim claim = this.transaction.execute((status) -> claimFrom(range));
			if (claim != null) {
				this.values.putAll(Map.of("job", claim.id(), "fence", claim.fence(), "session", claim.session()));
				return claim;
			}
		}
		return null;
	}

	private Claim claimFrom(Map<String, Object> range) {
		if (((Number) range.get("state")).intValue() != 0) {
			List<Map<String, Object>> quarantine = query("quarantine");
			if (quarantine.isEmpty()) {
				return null;
			}
			this.values.putAll(quarantine.get(0));
			if (!query("runs-solo").isEmpty()) {
				return null;
			}
		}
		List<Map<String, Object>> next = query("next");
		if (next.isEmpty()) {
			return null;
		}
		this.values.put("id", next.get(0).get("id"));
		assertThat(update("claim")).isOne();
		return new Claim(((Number) next.get(0).get("id")).longValue(),
				((Number) next.get(0).get("fence")).longValue() + 1, SESSION);
	}

	private boolean end(int state) {
		this.values.put("end", state);
		return Boolean.TRUE.equals(this.transaction.execute((status) -> {
			update("archive");
			return update("delete") == 1;
		}));
	}

	private int update(String name) {
		return this.sql.update(this.statements.get(name), this.values);
	}

	private List<Map<String, Object>> query(String name) {
		return this.sql.queryForList(this.statements.get(name), this.values);
	}

}
