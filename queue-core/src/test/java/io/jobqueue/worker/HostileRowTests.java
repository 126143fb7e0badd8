package io.jobqueue.worker;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ThreadLocalRandom;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.maintenance.DeadLetterUnknownStates;
import io.jobqueue.maintenance.Expire;
import io.jobqueue.maintenance.Rescue;
import io.jobqueue.store.Agenda;
import io.jobqueue.store.jdbc.ReadAgenda;
import io.jobqueue.store.jdbc.rowlock.JdbcRowLocks;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSessions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Rows that any program may insert, from a session that lets everything pass, into tables
 * without the constraints, which MariaDB lets a session switch off. None of them may stop
 * a worker.
 */
@ForEachDatabase
class HostileRowTests extends NodeTests {

	@Override
	boolean isAboutTheDatabase() {
		return true;
	}

	private static final String LENIENT = "SET sql_mode = 'ALLOW_INVALID_DATES'";

	/** No driver tells an id that was given and is negative. */
	private static final long NEGATIVE = -7;

	private final Set<Long> ran = new ConcurrentSkipListSet<>();

	/** MariaDB lets a session switch them off for its own statements. */
	@BeforeEach
	void dropConstraints() {
		if (this.testDatabase == TestDatabase.MARIADB) {
			return;
		}
		for (String constraint : List.of("names", "priority", "state")) {
			this.node.sql.execute("ALTER TABLE jobqueue_job DROP CONSTRAINT jobqueue_job_" + constraint);
		}
	}

	private void start() {
		this.node.handler("work", (payload, job) -> this.ran.add(job.id())).start();
	}

	private long insert(String columns, String values) {
		try (Connection connection = this.node.dataSource.getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(LENIENT);
			if (this.testDatabase == TestDatabase.MARIADB) {
				statement.execute("SET check_constraint_checks = 0");
			}
			statement.executeUpdate(
					"INSERT INTO jobqueue_job (" + columns + ") VALUES (" + values.replace('|', ',') + ")",
					Statement.RETURN_GENERATED_KEYS);
			try (var keys = statement.getGeneratedKeys()) {
				keys.next();
				return values.contains("-7") ? NEGATIVE : keys.getLong(1);
			}
			finally {
				statement.execute("SET sql_mode = DEFAULT");
				if (this.testDatabase == TestDatabase.MARIADB) {
					statement.execute("SET check_constraint_checks = DEFAULT");
				}
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(columns + " = " + values, ex);
		}
	}

	private void assertThatOthersFlow() {
		List<Long> others = new ArrayList<>(enqueue("work", 3));
		others.add(this.node.queue.enqueue(NewJob.of("work").queue("other")));
		others.forEach((id) -> this.node.await(id, JobState.SUCCEEDED));
		assertThat(this.node.worker().health().problem()).isEmpty();
	}

	/** All at once: each may only harm itself. */
	private static final List<Row> UNREADABLE = List.of(row("available_at", "'2026-02-30'"),
			row("available_at", "'2026-13-45'"), row("available_at", "'0000-00-00'"),
			row("available_at", "'2026-00-10'"), row("available_at", "'10000-01-01'"),
			row("enqueued_at", "'2026-02-30'"), row("enqueued_at", "'0000-00-00'"), row("fence", "9223372036854775807"),
			row("fence", "-9223372036854775808"), row("attempt", "2147483647"), row("attempt", "-2147483648"),
			row("crashes", "32767"), row("crashes", "-32768"), row("outages", "32767"), row("outages", "-32768"));

	private static final List<Row> ODD = List.of(row("max_attempts", "-2147483648"),
			row("timeout_ms", "-9223372036854775808"), row("timeout_ms", "9223372036854775807"),
			row("timeout_ms", "3153599999999"), row("max_attempts", "2147483647"), row("claimed_at", "'0000-00-00'"),
			row("claimed_at", "'2026-02-30'"), row("deadline_at", "'0000-00-00'"), row("session_id", "-1"),
			row("held_limit", "-32768"), row("large_payload", "-1"), row("payload", "'not json'"),
			row("payload", "x'C3'"), row("payload", "x'80FF'"), row("expires_at", "'9999-12-31 23:59:59.999999'"),
			row("id", "-7"), row("outages", "9"), row("state, outages", "2, 7"), row("type_id, priority", "0, 0"));

	private static Row row(String column, String value) {
		return new Row(column, value);
	}

	private Map<Long, Row> insertAll(List<Row> rows) {
		Map<Long, Row> inserted = new LinkedHashMap<>();
		rows.forEach((row) -> inserted.put(insert("type, " + row.column(), "'work', " + row.value()), row));
		return inserted;
	}

	@Test
	void whatCannotBeReadOrCountedIsDeadWithItsReason() {
		assumeFalse(this.testDatabase.isH2(), "H2 refuses such rows, or has other bounds");
		Map<Long, Row> inserted = insertAll(UNREADABLE);
		start();
		assertThatOthersFlow();
		inserted.forEach((id, row) -> {
			Job job = this.node.await(id, JobState.DEAD);
			assertThat(job.lastError().orElseThrow().message()).as("%s", row).contains(row.column());
		});
		assertThat(this.ran).doesNotContainAnyElementsOf(inserted.keySet());
		assertThat(this.node.queue.redrive(null, null)).isEqualTo(UNREADABLE.size());
		assertThatOthersFlow();
	}

	/** As the handler of no worker can have, or an operator could not type. */
	@ParameterizedTest
	@CsvSource({ "type, ''''''", "type, '''send receipt'''", "type, '''line\nbreak'''", "type, '''grüße'''",
			"queue, ''''''", "queue, '''my queue'''", "queue, '''grüße'''", "priority, -1", "priority, 10",
			"priority, 127" })
	void aNameOrPriorityThatBreaksTheRuleIsDeadWithItsReason(String column, String value) {
		assumeFalse(this.testDatabase.isH2(), "H2 takes every text as it is");
		String other = column.equals("type") ? "queue" : "type";
		long id = insert(column + ", " + other + ", available_at",
				value + ", " + (other.equals("type") ? "'work'" : "'default'") + ", '2020-01-01'");
		start();
		assertThatOthersFlow();
		Job job = this.node.await(id, JobState.DEAD);
		assertThat(job.lastError().orElseThrow().message()).contains(
				column + (column.equals("priority") ? " must be from 0 to 9" : " must match [A-Za-z0-9._-]{1,64}"));
		assertThat(this.ran).doesNotContain(id);
		assertThat(this.node.queue.redrive(null, null)).isEqualTo(value.equals("''") ? 0 : 1);
		assertThatOthersFlow();
	}

	@Test
	void whatIsOddRuns() {
		assumeFalse(this.testDatabase.isH2(), "H2 refuses such rows, or has other bounds");
		Map<Long, Row> inserted = insertAll(ODD);
		start();
		assertThatOthersFlow();
		inserted.keySet().forEach((id) -> this.node.await(id, JobState.SUCCEEDED));
	}

	@ParameterizedTest
	@CsvSource({ "'''0000-00-00'''", "'''2026-02-30'''", "'''1970-01-01'''" })
	void whatHasExpiredIsArchived(String value) {
		assumeFalse(this.testDatabase.isH2(), "H2 refuses such rows");
		long waiting = insert("type, expires_at, available_at", "'work', " + value + ", '2500-01-01'");
		assertThat(new Expire(this.node.store, () -> agenda().expire(), Duration.ofSeconds(1)).runOnce())
			.isEqualTo(value.contains("0000") ? 0 : 1);
		long due = insert("type, expires_at", "'work', " + value);
		start();
		assertThatOthersFlow();
		this.node.await(due, JobState.EXPIRED);
		assertThat(this.node.job(waiting)).isNotNull();
	}

	@ParameterizedTest
	@CsvSource({ "-128", "-1", "3", "4", "42", "127" })
	void whatIsInAStateThatDoesNotExistIsDead(int state) {
		long id = insertPlain(state);
		start();
		assertThatOthersFlow();
		assertThat(this.node.job(id)).isNotNull();
		assertThat(new DeadLetterUnknownStates(this.node.store, () -> agenda().unknownStates(), Duration.ofSeconds(1))
			.runOnce()).isEqualTo(1);
		Job job = this.node.job(id);
		assertThat(job.state()).isEqualTo(JobState.DEAD);
		assertThat(job.lastError().orElseThrow().message()).contains("state " + state);
		assertThat(new DeadLetterUnknownStates(this.node.store, () -> agenda().unknownStates(), Duration.ofSeconds(1))
			.runOnce()).isZero();
	}

	private Agenda agenda() {
		return new ReadAgenda(this.node.database).get();
	}

	private long insertPlain(int state) {
		if (this.testDatabase != TestDatabase.MARIADB) {
			this.node.sql.update("INSERT INTO jobqueue_job (type, state) VALUES ('work', ?)", state);
			return this.node.sql.queryForObject("SELECT MAX(id) FROM jobqueue_job", Long.class);
		}
		return insert("type, state", "'work', " + state);
	}

	/**
	 * Rows that say that they run, under a session that does not exist.
	 */
	@ParameterizedTest
	@CsvSource({ "fence, 9223372036854775807", "attempt, -2147483648", "crashes, 32767", "crashes, -32768",
			"claimed_at, '''0000-00-00'''", "available_at, '''0000-00-00'''", "deadline_at, '''2026-02-30'''", "id, -7",
			"attempt, 2147483647" })
	void whatClaimsToRunIsRescuedOrDead(String column, String value) {
		assumeFalse(this.testDatabase.isH2(), "H2 refuses such rows, or has other bounds");
		long id = insert("type, state, session_id, " + column, "'work', 1, 77, " + value);
		Rescue rescue = new Rescue(
				new Rescue.Source(new ReadAgenda(this.node.database), this.node.store, this.node.stores.sessions(),
						new JdbcRowLocks(this.node.database, true)),
				new Rescue.Settings(Duration.ofMillis(10), Duration.ZERO), System::nanoTime,
				ThreadLocalRandom.current());
		rescue.runOnce();
		assertThat(this.node.job(id).state()).isIn(JobState.READY, JobState.DEAD);
		start();
		assertThatOthersFlow();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !this.node.job(id).state().isLive());
	}

	/**
	 * The database takes both for one queue, and shows the name of the oldest job. The
	 * worker serves no other queue.
	 */
	@Test
	void aQueuesNameThatEndsWithABlankIsThatQueue() {
		assumeFalse(this.testDatabase.isH2(), "H2 tells them apart");
		long odd = insert("type, queue, available_at", "'work', 'mail ', '2020-01-01'");
		this.node.settings = new WorkerSettings("mail", List.of("mail"), this.node.settings.slots(), TestNode.QUICK);
		start();
		this.node.await(this.node.queue.enqueue(NewJob.of("work").queue("mail")), JobState.SUCCEEDED);
		this.node.await(odd, JobState.SUCCEEDED);
		assertThat(this.node.stores.queues().depths()).isEmpty();
	}

	@Test
	void aSessionWithoutATimeIsNoneThatStopsOthers() {
		assumeFalse(this.testDatabase.isH2(), "H2 refuses such rows");
		try (Connection connection = this.node.dataSource.getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(LENIENT);
			statement.executeUpdate("""
					INSERT INTO jobqueue_session
					    (id, worker, started_at, heartbeat_at, expires_at, slots, busy, queues, types)
					VALUES (1, 'odd', '2026-02-30', '0000-00-00', '2999-01-01', -1, -1, '', '')""");
			assertThat(this.node.stores.sessions().list()).hasSize(1);
			statement.executeUpdate("UPDATE jobqueue_session SET expires_at = '2026-02-30'");
			statement.execute("SET sql_mode = DEFAULT");
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		assertThat(this.node.stores.sessions().list()).isEmpty();
		assertThat(TestSessions.endExpired(this.node.stores.sessions())).containsExactly("odd");
	}

	/**
	 * A job that was claimed has times that exist, until somebody changes its row.
	 */
	@ParameterizedTest
	@CsvSource({ "available_at, '''2026-02-30'''", "enqueued_at, '''0000-00-00'''", "claimed_at, '''2026-13-45'''" })
	void whatBecomesHostileWhileItRunsSucceeds(String column, String value) {
		assumeFalse(this.testDatabase.isH2(), "H2 refuses such rows");
		this.node.handler("changed", (payload, job) -> change(job.id(), column, value));
		this.node.transactionalHandler("changed.transactional", (payload, job) -> change(job.id(), column, value));
		start();
		List<Long> ids = List.of(this.node.queue.enqueue(NewJob.of("changed")),
				this.node.queue.enqueue(NewJob.of("changed.transactional")));
		ids.forEach((id) -> this.node.await(id, JobState.SUCCEEDED));
		assertThatOthersFlow();
		assertThat(ids).allSatisfy((id) -> assertThat(this.node.job(id).attempt()).isOne());
	}

	private void change(long id, String column, String value) {
		try (Connection connection = this.node.dataSource.getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(LENIENT);
			assertThat(
					statement.executeUpdate("UPDATE jobqueue_job SET " + column + " = " + value + " WHERE id = " + id))
				.isOne();
			statement.execute("SET sql_mode = DEFAULT");
		}
		catch (SQLException ex) {
			throw new IllegalStateException(column + " = " + value, ex);
		}
	}

	/**
	 * Before a worker meets it, an operator may cancel it.
	 */
	@ParameterizedTest
	@CsvSource({ "available_at, '''2026-02-30'''", "enqueued_at, '''0000-00-00'''", "claimed_at, '''2026-02-30'''",
			"fence, 9223372036854775807" })
	void whatIsHostileCanBeFoundAndCancelled(String column, String value) {
		assumeFalse(this.testDatabase.isH2(), "H2 refuses such rows, or has other bounds");
		long id = insert("type, " + column, "'work', " + value);
		assertThat(this.node.job(id).state()).isEqualTo(JobState.READY);
		assertThat(this.node.queue.cancel(id)).isTrue();
		assertThat(this.node.job(id).state()).isEqualTo(JobState.CANCELLED);
	}

	/**
	 * A row that another program inserts.
	 *
	 * @param column the column that it gives a value
	 * @param value the value, as it stands in SQL
	 */
	private record Row(String column, String value) {

	}

}
