package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What the tests have in common that run with 1, 1,000 and 1,000,000 ready jobs: a MySQL
 * schema, filled once for each class and size, and a store that is watched.
 */
@Tag("slow")
@ParameterizedClass(name = "{0} ready jobs")
@ValueSource(ints = { 1, 1_000, 1_000_000 })
abstract class ReadyJobsTests {

	static final long SESSION = 7;

	static final ReadyRange RANGE = new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO);

	private static TestSchema schema;

	@Parameter
	int readyJobs;

	private final List<Long> extra = new ArrayList<>();

	WatchedDataSource watched;

	JdbcJobStore store;

	@BeforeParameterizedClassInvocation
	static void fill(int readyJobs) throws SQLException {
		assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL::whyNot);
		schema = TestDatabase.MYSQL.create();
		ReadyJobs.fill(schema, readyJobs);
	}

	@AfterParameterizedClassInvocation
	static void dropSchema() {
		if (schema != null) {
			schema.close();
			schema = null;
		}
	}

	@BeforeEach
	void openStore() {
		this.watched = new WatchedDataSource(schema.dataSource());
		this.store = new JdbcJobStore(new Database(this.watched), StoreSettings.DEFAULT);
	}

	@AfterEach
	void giveBack() throws SQLException {
		execute("UPDATE jobqueue_job SET state = 0, session_id = 0 WHERE state = 1 AND session_id = " + SESSION);
		for (long id : this.extra) {
			execute("DELETE FROM jobqueue_job WHERE id = " + id);
		}
	}

	static TestSchema schema() {
		return schema;
	}

	static void execute(String sql) throws SQLException {
		try (Connection connection = schema.connect(); PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.execute();
		}
	}

	/**
	 * Enqueues to a queue beside the one that is filled, until the end of the test.
	 */
	void enqueueTail(int jobs, Duration delay) {
		for (int i = 0; i < jobs; i++) {
			enqueueExtra(this.store, NewJob.of("any").queue("tail").delay(delay));
		}
	}

	void enqueueExtra(JdbcJobStore store, NewJob job) {
		this.extra.addAll(store.enqueue(List.of(new EnqueuedJob(job, null))).ids());
	}

	static List<ClaimedJob> claim(JdbcJobStore store, List<ReadyRange> ranges, int limit) {
		return store.claim(ClaimRequests.any(SESSION, ranges, limit, Deadlines.always(Duration.ofMinutes(1))));
	}

	static Set<Long> ids(List<ClaimedJob> jobs) {
		return jobs.stream().map((job) -> job.claim().id()).collect(Collectors.toSet());
	}

}
