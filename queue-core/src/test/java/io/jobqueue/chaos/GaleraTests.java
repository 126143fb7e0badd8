package io.jobqueue.chaos;

import java.time.Duration;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.test.Programs;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three MariaDB servers that replicate with Galera.
 */
@TakesLong
class GaleraTests extends ClusterTests {

	private static final Duration SEVERAL_WRITERS = Duration.ofSeconds(20);

	private GaleraCluster cluster;

	@Override
	TestSchema createSchema() {
		require(Programs.GALERA);
		this.cluster = closedAtEnd(new GaleraCluster());
		return createSchema(this.cluster.node(0));
	}

	@Test
	void theOneWriterIsKilled() throws InterruptedException {
		failOver("kill the writer", () -> {
			this.cluster.node(0).kill();
			this.cluster.awaitPrimary(this.cluster.node(1));
			return this.cluster.node(1);
		});
	}

	/** Each worker writes to a server of its own. */
	@ParameterizedTest
	@EnumSource(names = { "SKIP_LOCKED", "COMPARE_AND_SET" })
	void severalWritersAtOnce(ClaimStrategy claim) throws InterruptedException {
		for (int i = 0; i < GaleraCluster.NODES; i++) {
			this.chaos.start(this.chaos.worker().claimingBy(claim).withUrl(this.cluster.node(i).schemaUrl()))
				.awaitReady();
		}
		Producer producer = this.chaos.producer(PACE);
		Thread.sleep(SEVERAL_WRITERS.toMillis());
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
		assertThat(this.cluster.conflicts()).as("transactions undone by another node's").isPositive();
		assertThat(this.chaos.sql.queryForList("SELECT DISTINCT worker FROM effect", String.class)).as("took part")
			.hasSize(GaleraCluster.NODES);
		System.out.printf("CHAOS several writers by %s: %d transactions undone by another node's, %d jobs%n", claim,
				this.cluster.conflicts(), this.chaos.history.enqueues().size());
	}

}
