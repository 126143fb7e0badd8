package io.jobqueue.chaos;

import io.jobqueue.test.Programs;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.Test;

/**
 * Three servers with Group Replication, of which one takes writes. The wire does what
 * MySQL Router's port for reading and writing does.
 */
@TakesLong
class GroupReplicationTests extends ClusterTests {

	private ReplicationGroup group;

	@Override
	TestSchema createSchema() {
		require(Programs.MYSQLD);
		this.group = closedAtEnd(new ReplicationGroup());
		return createSchema(this.group.primary());
	}

	@Test
	void thePrimaryIsSwitched() throws InterruptedException {
		failOver("switch the primary", () -> {
			this.group.switchPrimary();
			return this.group.primary();
		});
	}

	@Test
	void thePrimaryIsKilled() throws InterruptedException {
		failOver("kill the primary", () -> {
			this.group.primary().kill();
			return this.group.primary();
		});
	}

}
