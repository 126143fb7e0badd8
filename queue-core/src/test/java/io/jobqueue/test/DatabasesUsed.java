package io.jobqueue.test;

import java.util.EnumMap;
import java.util.Map;

import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Says which databases a run used, and loudly which it had to do without: each once,
 * after the first tests that needed it. Surefire runs a plan for each class where several
 * JVMs take turns.
 */
public final class DatabasesUsed implements TestExecutionListener {

	private static final Map<TestDatabase, TestServer> noted = new EnumMap<>(TestDatabase.class);

	static synchronized void note(TestDatabase database, TestServer server) {
		noted.put(database, server);
	}

	@Override
	public void testPlanExecutionFinished(TestPlan plan) {
		synchronized (DatabasesUsed.class) {
			noted.forEach((database, server) -> System.out.println(server.isAvailable()
					? "DATABASE USED: " + database + ": " + server.description()
					: "!!!!!!!! NO " + database + ": its tests were SKIPPED: " + server.description() + " !!!!!!!!"));
			noted.clear();
		}
	}

}
