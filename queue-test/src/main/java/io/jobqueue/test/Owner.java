package io.jobqueue.test;

import java.util.List;

import io.jobqueue.store.WorkerSessions;

/**
 * Keeps tests from the database of an application that runs.
 */
final class Owner {

	/**
	 * Makes sure that nobody else works on the database. Workers of tests are nobody
	 * else.
	 * @throws IllegalStateException if somebody does
	 */
	void check(TesterParts parts, TesterSetup setup) {
		if (setup.isWorkerRunning()) {
			return;
		}
		List<String> others = parts.node()
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
