package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
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
import io.jobqueue.test.Thorough;
import io.jobqueue.test.WatchedDataSource;
import io.jobqueue.test.WatchedDataSource.Executed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What the tests have in common that run with 1, 1,000 and 300,000 ready jobs, and with
 * 1,000,000 if everything is to be run: a MySQL schema, filled once for each class and
 * size, and a store that is watched.
 */
@Tag("slow")
@ParameterizedClass(name = "{0} ready jobs")
@MethodSource("sizes")
abstract class ReadyJobsTests {

	static final long SESSION = 7;

	static final ReadyRange RANGE = new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO);

	/** So many that nobody reads them all and stays below the bounds of these tests. */
	static final int MANY = Thorough.isOn() ? 1_000_000 : 300_000;

	private static TestSchema schema;

	@Parameter
	int readyJobs;

	private final List<Long> extra = new ArrayList<>();

	WatchedDataSource watched;

	JdbcJobStore store;

	static IntStream sizes() {
		return IntStream.of(1, 1_000, MANY);
	}

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

	/**
	 * Counts the rows that the server's storage engine hands over for some calls, on a
	 * pool of one connection, to which the counters belong.
	 */
	static long rowsReadIn(Consumer<Database> calls) {
		try (HikariDataSource single = schema().pool((settings) -> settings.setMaximumPoolSize(1))) {
			Database database = new Database(single);
			long before = handlerReads(database);
			calls.accept(database);
			return handlerReads(database) - before;
		}
	}

	static long handlerReads(Database database) {
		return database.template()
			.query("SHOW SESSION STATUS LIKE 'Handler_read%'", (row, number) -> row.getLong(2))
			.stream()
			.mapToLong(Long::longValue)
			.sum();
	}

	static List<Plan> explain(Executed executed) throws SQLException {
		List<Plan> plans = new ArrayList<>();
		try (Connection connection = schema().connect();
				PreparedStatement statement = executed.prepare(connection, "EXPLAIN FORMAT=TRADITIONAL ");
				ResultSet row = statement.executeQuery()) {
			while (row.next()) {
				plans.add(
						new Plan(row.getString("table"), row.getString("key"), String.valueOf(row.getString("Extra"))));
			}
		}
		assertThat(plans).isNotEmpty();
		return plans;
	}

	/**
	 * How the server reads one table.
	 */
	record Plan(String table, String key, String extra) {

	}

}
