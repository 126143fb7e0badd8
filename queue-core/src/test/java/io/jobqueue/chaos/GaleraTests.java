package io.jobqueue.chaos;

import java.time.Duration;

import io.jobqueue.test.Programs;
import io.jobqueue.test.ServerProcess;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Wire;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * Three MariaDB servers that replicate with Galera.
 */
@TakesLong
class GaleraTests extends ChaosTests {

	private static final Duration RESUMED_WITHIN = Duration.ofSeconds(30);

	private static final int RESUMED = 100;

	private GaleraCluster cluster;

	private Wire wire;

	@Override
	TestSchema createSchema() {
		require(Programs.GALERA);
		this.cluster = closedAtEnd(new GaleraCluster());
		ServerProcess first = this.cluster.node(0);
		this.wire = closedAtEnd(new Wire(first.url()));
		first.createSchema().closePools();
		return first.schemaAt(this.wire.jdbcUrl());
	}

	@Test
	void theOneWriterIsKilled() throws InterruptedException {
		this.chaos.start(this.chaos.worker()).awaitReady();
		this.chaos.start(this.chaos.worker()).awaitReady();
		Producer producer = this.chaos.producer(Duration.ofMillis(20));
		Thread.sleep(5000);
		this.chaos.history.note("kill the writer");
		this.cluster.node(0).kill();
		ServerProcess next = this.cluster.node(1);
		this.wire.leadTo(next.port());
		Awaitility.await("workers resume")
			.atMost(RESUMED_WITHIN)
			.ignoreExceptions()
			.until(() -> succeededSince(next) > RESUMED);
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
	}

	/** Those that were claimed after the writer was killed. */
	private static long succeededSince(ServerProcess node) {
		return Long.parseLong(node.query("""
				SELECT COUNT(*) FROM jobs.jobqueue_archive
				WHERE state = 3 AND claimed_at > UTC_TIMESTAMP(6) - INTERVAL 3 SECOND""", 1));
	}

	/** Each worker writes to a server of its own, and so does the application. */
	@Test
	void severalWritersAtOnce() throws InterruptedException {
		for (int i = 0; i < 3; i++) {
			this.chaos.start(this.chaos.worker().withUrl(this.cluster.node(i).schemaUrl())).awaitReady();
		}
		Producer producer = this.chaos.producer(Duration.ofMillis(20));
		Thread.sleep(20_000);
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
		System.out.println("CHAOS several writers at once: " + this.cluster.conflicts()
				+ " transactions undone by another node's");
	}

}
