package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Keep;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.TypeRules;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.store.jdbc.ReadAgenda;
import io.jobqueue.store.jdbc.JdbcWorkerSessions;
import io.jobqueue.store.jdbc.rowlock.JdbcRowLocks;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Several applications on one schema, each with settings and handlers of its own.
 */
@ForEachDatabase
class SeveralApplicationsTests {

	@Parameter(0)
	TestDatabase testDatabase;

	private TestSchema schema;

	private JdbcJobStore store;

	private JdbcWorkerSessions sessions;

	private JdbcTemplate sql;

	@BeforeEach
	void createSchema() {
		assumeTrue(this.testDatabase.isAvailable(), this.testDatabase::whyNot);
		this.schema = this.testDatabase.create();
		Database database = new Database(this.schema.dataSource());
		this.store = new JdbcJobStore(database, StoreSettings.DEFAULT);
		this.sessions = new JdbcWorkerSessions(database);
		this.sql = new JdbcTemplate(this.schema.dataSource());
	}

	@AfterEach
	void closeSchema() {
		if (this.schema != null) {
			this.sessions.disconnect();
			this.schema.close();
		}
	}

	private Prune prune(String application, int days) {
		return new Prune(this.store, () -> application, Map.of(JobState.CANCELLED, Keep.of(Duration.ofDays(days))),
				Duration.ofMinutes(1), null);
	}

	private long enqueue(NewJob job) {
		return this.store.enqueue(List.of(new EnqueuedJob(job, null))).ids().get(0);
	}

	@Test
	void theLongestRetentionHolds() {
		long id = enqueue(NewJob.of("any"));
		this.store.cancel(id);
		this.sql.update("UPDATE jobqueue_archive SET finished_at = '2026-01-01 00:00:00'");
		prune("careful", 36_500).runOnce();
		assertThat(prune("hasty", 0).runOnce()).isZero();
		assertThat(this.store.find(id)).isPresent();
		prune("careful", 0).runOnce();
		assertThat(this.store.find(id)).as("as soon as the other one says so").isEmpty();
	}

	@Test
	void anApplicationThatIsGoneHoldsNothingBackForEver() {
		long id = enqueue(NewJob.of("any"));
		this.store.cancel(id);
		this.sql.update("UPDATE jobqueue_archive SET finished_at = '2026-01-01 00:00:00'");
		prune("gone", 36_500).runOnce();
		this.sql.update("UPDATE jobqueue_retention SET seen_at = '2026-01-01 00:00:00' WHERE application = 'gone'");
		assertThat(prune("hasty", 0).runOnce()).isEqualTo(1);
	}

	/**
	 * The node that rescues a job may not have its handler.
	 */
	@Test
	void aJobIsJudgedByTheRetryPolicyOfItsOwnHandler() {
		RetryPolicy patient = new RetryPolicy(500, new BackoffPolicy(Duration.ofHours(5), 1, Duration.ofHours(5), 0),
				List.of());
		this.store.registerTypes(Map.of("theirs", new TypeRules(patient)));
		long id = enqueue(NewJob.of("theirs"));
		long session = this.sessions.open(new NewSession("any", 1, List.of(), List.of()), Duration.ofHours(1));
		this.sql.update("UPDATE jobqueue_job SET attempt = 399");
		this.store.claim(
				ClaimRequests.any(session, List.of(new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO)),
						1, Deadlines.always(Duration.ofHours(1))));
		this.sql.update("UPDATE jobqueue_job SET deadline_at = '2026-01-01 00:00:00'");
		Rescue rescue = new Rescue(
				new Rescue.Source(new ReadAgenda(new Database(this.schema.dataSource())), this.store, this.sessions,
						new JdbcRowLocks(new Database(this.schema.dataSource()), true)),
				new Rescue.Settings(Duration.ofMillis(10), Duration.ZERO), System::nanoTime, () -> 1);
		assertThat(rescue.runOnce()).isEqualTo(1);
		assertThat(this.store.find(id).orElseThrow().state()).isEqualTo(JobState.READY);
		assertThat(this.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job WHERE available_at > enqueued_at",
				Integer.class))
			.isEqualTo(1);
		assertThat(this.store.retryOf("theirs")).contains(patient);
		assertThat(this.store.retryOf("nobody's")).isEmpty();
	}

}
