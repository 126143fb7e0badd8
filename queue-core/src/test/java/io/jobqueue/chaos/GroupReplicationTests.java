package io.jobqueue.chaos;

import java.time.Duration;

import io.jobqueue.test.Programs;
import io.jobqueue.test.ServerProcess;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Wire;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * Three servers with Group Replication. The wire leads new connections to the primary, as
 * MySQL Router's port for reading and writing does, and leaves those that are open where
 * they are.
 */
@TakesLong
class GroupReplicationTests extends ChaosTests {

	private static final Duration RESUMED_WITHIN = Duration.ofSeconds(30);

	private static final int RESUMED = 100;

	private ReplicationGroup group;

	private Wire wire;

	@Override
	TestSchema createSchema() {
		require(Programs.MYSQLD);
		this.group = closedAtEnd(new ReplicationGroup());
		ServerProcess primary = this.group.primary();
		this.wire = closedAtEnd(new Wire(primary.url()));
		primary.createSchema().closePools();
		return primary.schemaAt(this.wire.jdbcUrl());
	}

	@Test
	void thePrimaryIsSwitched() throws InterruptedException {
		failOver(this.group::switchPrimary);
	}

	@Test
	void thePrimaryIsKilled() throws InterruptedException {
		failOver(() -> this.group.primary().kill());
	}

	private void failOver(Runnable change) throws InterruptedException {
		this.chaos.start(this.chaos.worker()).awaitReady();
		this.chaos.start(this.chaos.worker()).awaitReady();
		Producer producer = this.chaos.producer(Duration.ofMillis(20));
		Thread.sleep(5000);
		this.chaos.history.note("fail over");
		change.run();
		ServerProcess primary = this.group.primary();
		this.wire.leadTo(primary.port());
		this.chaos.history.note("the new primary is at " + primary.port());
		long before = succeeded(primary);
		Awaitility.await("workers resume").atMost(RESUMED_WITHIN).until(() -> succeeded(primary) > before + RESUMED);
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
	}

	private static long succeeded(ServerProcess primary) {
		return Long.parseLong(primary.query("SELECT COUNT(*) FROM jobs.jobqueue_archive WHERE state = 3", 1));
	}

}
