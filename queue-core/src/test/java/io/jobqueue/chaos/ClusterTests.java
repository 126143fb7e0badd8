package io.jobqueue.chaos;

import java.time.Duration;
import java.util.function.Supplier;

import io.jobqueue.test.ServerProcess;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Wire;
import org.awaitility.Awaitility;

/**
 * What the tests with several servers have in common: the application reaches one of
 * them, over a wire that leads new connections to another after a failover, as a router
 * or a virtual address does, and leaves those that are open where they are.
 */
abstract class ClusterTests extends ChaosTests {

	private static final Duration RESUMED_WITHIN = Duration.ofSeconds(30);

	private static final int RESUMED = 100;

	private Wire wire;

	/** Makes the database, behind the wire. */
	TestSchema createSchema(ServerProcess writer) {
		this.wire = closedAtEnd(new Wire(writer.url()));
		writer.createSchema().closePools();
		return writer.schemaAt(this.wire.jdbcUrl());
	}

	/**
	 * Goes over to another server under load.
	 * @param what what happens
	 * @param change makes it happen and returns the server that takes writes from then on
	 */
	void failOver(String what, Supplier<ServerProcess> change) throws InterruptedException {
		this.chaos.start(patient()).awaitReady();
		this.chaos.start(patient()).awaitReady();
		Producer producer = this.chaos.producer(PACE);
		Thread.sleep(5000);
		this.chaos.history.note(what);
		long start = System.nanoTime();
		ServerProcess writer = change.get();
		long changed = System.nanoTime();
		this.wire.leadTo(writer.port());
		long before = succeeded(writer);
		Awaitility.await("workers resume")
			.atMost(RESUMED_WITHIN)
			.ignoreExceptions()
			.until(() -> succeeded(writer) > before + RESUMED);
		System.out.printf("CHAOS %s: another server after %.1f s, workers resumed after %.1f s%n", what,
				(changed - start) / 1e9, (System.nanoTime() - start) / 1e9);
		producer.stop();
		// Some may still lead to the other server, which is read-only now and lags
		// behind.
		this.chaos.schema.dataSource().getHikariPoolMXBean().softEvictConnections();
		this.chaos.awaitDrained();
		this.chaos.check();
	}

	/**
	 * A handler that keeps getting a connection to the old server fails until the pool
	 * has done with that.
	 */
	private WorkerArguments patient() {
		return this.chaos.worker().withRetry(20, Duration.ofSeconds(1));
	}

	private static long succeeded(ServerProcess server) {
		return Long.parseLong(server.query("SELECT COUNT(*) FROM jobs.jobqueue_archive WHERE state = 3", 1));
	}

}
