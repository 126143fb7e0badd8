package io.jobqueue.test;

import java.util.List;

import io.jobqueue.store.WorkerSessions;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Keeps tests from the database of an application, and prepares their own.
 */
final class Owner implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

	private final TesterParts parts;

	private final TesterSetup setup;

	private final CommitCheck commits;

	Owner(TesterParts parts, TesterSetup setup, CommitCheck commits) {
		this.parts = parts;
		this.setup = setup;
		this.commits = commits;
	}

	/**
	 * Comes before the worker starts, where it starts with the context.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.setup.isWorkerStartedWithContext()) {
			this.commits.check(this.parts.node().database().dataSource());
		}
	}

	/**
	 * Comes before any test, outside of transactions.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		this.setup.prepare(this.parts);
	}

	/**
	 * Makes sure that nobody else works on the database. Workers of tests are nobody
	 * else.
	 * @param commits whether the test commits, so that the database has to be one for
	 * tests
	 * @throws IllegalStateException if somebody does, or if it may not be
	 */
	void check(boolean commits) {
		if (commits) {
			this.commits.check(this.parts.node().database().dataSource());
		}
		if (this.setup.isWorkerRunning()) {
			return;
		}
		List<String> others = this.parts.node()
			.stores()
			.sessions()
			.list()
			.stream()
			.map(WorkerSessions.Session::worker)
			.filter((worker) -> !worker.equals(TestNode.NAME))
			.toList();
		if (!others.isEmpty()) {
			throw new IllegalStateException("Other workers run on this database: " + others
					+ ". Give the tests a database of their own, or stop what runs there");
		}
	}

}
