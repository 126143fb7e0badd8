package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.Schedule;
import io.jobqueue.maintenance.SharedAgenda;
import io.jobqueue.store.Audit;
import io.jobqueue.store.Agenda;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredSchedules;
import io.jobqueue.store.jdbc.schedule.JdbcScheduleStore;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What maintenance does not ask for where the agenda does not say so.
 */
@ForEachDatabase
class ReadAgendaTests extends StoreTests {

	private static final List<Predicate<Agenda>> ALL = List.of(Agenda::rescue, Agenda::expire, Agenda::unknownStates,
			(agenda) -> agenda.keys().orderKeys(), (agenda) -> agenda.keys().orderJobs(),
			(agenda) -> agenda.keys().limitPlaces(), (agenda) -> agenda.keys().limitJobs(),
			(agenda) -> agenda.keys().limitKeys());

	private Agenda agenda() {
		return new ReadAgenda(this.database).get();
	}

	/** The rest is not on the agenda. */
	private void assertOnly(int... positions) {
		Agenda agenda = agenda();
		for (int i = 0; i < ALL.size(); i++) {
			int position = i;
			assertThat(ALL.get(i).test(agenda)).as("part %d", i)
				.isEqualTo(Arrays.stream(positions).anyMatch((other) -> other == position));
		}
	}

	private void insert(String statement) {
		this.rows.sql(statement).update();
	}

	@Test
	void readyAndDelayedJobsLeaveNothingToDo() {
		this.store.enqueue(List.of(text(NewJob.of("work")), text(NewJob.of("work").delay(Duration.ofDays(1))),
				text(NewJob.of("work").expiresAfter(Duration.ofDays(1)))));
		insert("INSERT INTO jobqueue_session (id, worker, started_at, heartbeat_at, expires_at, slots, busy, queues, types)"
				+ " VALUES (1, 'live', {now}, {now}, {now + 15 SECOND}, 1, 0, '', '')");
		insert("INSERT INTO jobqueue_allowance (limit_id, limit_key, changed_at) VALUES (1, '', {now})");
		assertOnly();
		assertThat(agenda().untilTick()).isNull();
	}

	@Test
	void aSessionWithoutHeartbeatsIsToBeEnded() {
		insert("INSERT INTO jobqueue_session (id, worker, started_at, heartbeat_at, expires_at, slots, busy, queues, types)"
				+ " VALUES (1, 'dead', {now}, {now}, {now + -1 SECOND}, 1, 0, '', '')");
		assertOnly(0);
	}

	@Test
	void jobsThatRunMayHaveToBeRescued() {
		insert("INSERT INTO jobqueue_job (type, state) VALUES ('work', 1)");
		assertOnly(0);
	}

	@Test
	void jobsOfRowLockQueuesThatRunMayHaveToBeRescued() {
		insert("INSERT INTO jobqueue_start (job_id, fence, session_id, connection_id, server, started_at, deadline_at)"
				+ " VALUES (1, 1, 1, 1, 'any', {now}, {now})");
		assertOnly(0);
	}

	@Test
	void jobsThatHaveExpiredAreToBeArchived() {
		insert("INSERT INTO jobqueue_job (type, expires_at) VALUES ('work', {now + -1 SECOND})");
		assertOnly(1);
	}

	@Test
	void orderKeysAndJobsThatWaitForThemAreSwept() {
		insert("INSERT INTO jobqueue_order_key (order_key, changed_at) VALUES ('one', {now})");
		assertOnly(3);
		this.rows.deleteAll();
		insert("INSERT INTO jobqueue_order_place (order_key, job_id) VALUES ('one', 1)");
		assertOnly(3);
		this.rows.deleteAll();
		insert("INSERT INTO jobqueue_job (type, state) VALUES ('work', 9)");
		assertOnly(4);
	}

	@Test
	void limitKeysAndJobsThatWaitForThemAreSwept() {
		insert("INSERT INTO jobqueue_limit_place (limit_id, limit_key, job_id) VALUES (1, 'one', 1)");
		assertOnly(5);
		this.rows.deleteAll();
		insert("INSERT INTO jobqueue_job (type, state) VALUES ('work', 10)");
		assertOnly(6);
		this.rows.deleteAll();
		insert("INSERT INTO jobqueue_allowance (limit_id, limit_key, changed_at) VALUES (1, 'one', {now})");
		assertOnly(7);
	}

	@Test
	void theNextTickIsKnown() {
		StoredSchedules schedules = new StoredSchedules(new JdbcScheduleStore(this.database, StoreSettings.DEFAULT),
				new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1_000), new QueueListeners(),
				Audit.none());
		schedules.save(Schedule.every("later", Duration.ofHours(2)).job(NewJob.of("work")));
		schedules.save(Schedule.every("next", Duration.ofHours(1)).job(NewJob.of("work")));
		assertThat(agenda().untilTick()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
		insert("UPDATE jobqueue_schedule SET due_at = {now + -1 SECOND} WHERE name = 'later'");
		assertThat(agenda().untilTick()).isLessThanOrEqualTo(Duration.ZERO);
		assertOnly();
	}

	/**
	 * As MySQL takes it from another program, if it is not strict.
	 */
	@Test
	void aTickOfNoTimeIsDueAndKeepsNobodyElseFromItsWork() throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "H2 has no such time");
		StoredSchedules schedules = new StoredSchedules(new JdbcScheduleStore(this.database, StoreSettings.DEFAULT),
				new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1_000), new QueueListeners(),
				Audit.none());
		schedules.save(Schedule.every("odd", Duration.ofHours(1)).job(NewJob.of("work")));
		try (Connection connection = dataSource().getConnection(); Statement statement = connection.createStatement()) {
			statement.execute("SET SESSION sql_mode = ''");
			statement.executeUpdate("UPDATE jobqueue_schedule SET due_at = '0000-00-00 00:00:00'");
			statement.execute("SET SESSION sql_mode = DEFAULT");
		}
		assertThat(agenda().untilTick()).isLessThanOrEqualTo(Duration.ZERO);
	}

	/**
	 * As by an ALTER that waits for a report.
	 */
	@Test
	void aTableThatIsLockedKeepsNobodyWaiting() throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "H2 reads it all the same");
		try (Connection holder = dataSource().getConnection(); Statement statement = holder.createStatement()) {
			statement.execute("LOCK TABLES jobqueue_order_key WRITE");
			assertThat(new SharedAgenda(new ReadAgenda(this.database), System::nanoTime).get())
				.isSameAs(Agenda.UNKNOWN);
			statement.execute("UNLOCK TABLES");
		}
		assertThat(agenda().now()).isNotNull();
	}

}
