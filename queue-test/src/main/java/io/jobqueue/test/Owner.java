package io.jobqueue.test;

import java.util.List;

import io.jobqueue.store.WorkerSessions;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Keeps tests from the database of an application.
 */
final class Owner implements SmartInitializingSingleton {

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
			checkCommits();
		}
	}

	/**
	 * Makes sure that what tests commit does no harm to the database.
	 * @throws IllegalStateException if it may
	 */
	void checkCommits() {
		this.commits.check(this.parts.node().database().dataSource());
	}

	/**
	 * Makes sure that nobody else works on the database. Workers of tests are nobody
	 * else.
	 * @throws IllegalStateException if somebody does
	 */
	void checkAlone() {
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
