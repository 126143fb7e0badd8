package io.jobqueue.test;

import java.util.List;

import javax.sql.DataSource;

import io.jobqueue.database.CallersConnection;
import io.jobqueue.database.Database;
import io.jobqueue.store.WorkerSessions;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.test.context.transaction.TestTransaction;

/**
 * Keeps tests from the database of an application, and prepares their own.
 */
final class Owner implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

	private final TesterParts parts;

	private final TesterSetup setup;

	private final CommitCheck commits;

	private final TestTime time;

	Owner(TesterParts parts, TesterSetup setup, CommitCheck commits, TestTime time) {
		this.time = time;
		this.parts = parts;
		this.setup = setup;
		this.commits = commits;
	}

	private Database database() {
		return this.parts.node().database();
	}

	/**
	 * Comes before the worker starts, where it starts with the context.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.setup.isWorkerStartedWithContext()) {
			check(false);
		}
	}

	/**
	 * Comes before any test, outside of transactions. Stores nothing in a database that
	 * may be somebody's: limits and schedules of the test would hold there.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (this.commits.isForTests(database().dataSource())) {
			this.setup.prepare(this.parts);
		}
	}

	/**
	 * Stores limits, types and schedules in the transaction of a test, where they were
	 * not stored before.
	 */
	void begin() {
		if (database().callers().phase() == CallersConnection.Phase.OPEN
				&& !this.commits.isForTests(database().dataSource())) {
			this.setup.store(this.parts);
		}
	}

	/**
	 * Whether a transaction that is open now is that of a test which rolls it back.
	 */
	static boolean rollsBack() {
		return TestTransaction.isActive() && TestTransaction.isFlaggedForRollback();
	}

	/**
	 * Makes sure that nobody else works on the database, or has jobs there that the test
	 * would run. Workers of tests are nobody else.
	 * @param rollsBack whether the test rolls back what it does; else the database has to
	 * be one for tests
	 * @throws IllegalStateException if somebody does, or has, or if it may not be
	 */
	void check(boolean rollsBack) {
		DataSource dataSource = database().dataSource();
		if (!rollsBack) {
			this.commits.check(dataSource);
		}
		else if (!this.commits.isForTests(dataSource)) {
			checkJobs(dataSource);
		}
		List<String> others = this.time.atPresent(() -> this.parts.node().stores().sessions().list())
			.stream()
			.map(WorkerSessions.Session::worker)
			.filter((worker) -> !worker.equals(TestNode.NAME))
			.toList();
		if (others.size() > (this.setup.isWorkerRunning() ? 1 : 0)) {
			throw new IllegalStateException("Other workers run on this database: " + others
					+ ". Give the tests a database of their own, or stop what runs there");
		}
	}

	/**
	 * Their effects outside the transaction would not be rolled back. The test's own jobs
	 * are not committed, so another connection does not see them.
	 */
	private void checkJobs(DataSource dataSource) {
		Served served = this.parts.served();
		JdbcTemplate apart = new JdbcTemplate(new DelegatingDataSource(dataSource));
		long job = served.isNothing() ? 0
				: served
					.statement(JdbcClient.create(apart)::sql,
							"SELECT COALESCE(MIN(j.id), 0) FROM jobqueue_job j WHERE j.type IN (:types)")
					.query(Long.class)
					.single();
		if (job > 0) {
			throw new IllegalStateException("The database has jobs that are not this test's own, such as job " + job
					+ ", and the test would run them, mails and calls included. Give the tests a database of their own");
		}
	}

}
