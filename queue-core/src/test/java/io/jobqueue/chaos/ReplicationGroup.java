package io.jobqueue.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.jobqueue.test.ServerProcess;
import org.awaitility.Awaitility;

/**
 * Three servers with Group Replication, one of them the primary. Set up as in the manual
 * of MySQL, "Deploying Group Replication in Single-Primary Mode".
 */
final class ReplicationGroup implements AutoCloseable {

	private static final int NODES = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static final String ONLINE = """
			SELECT COUNT(*) FROM performance_schema.replication_group_members WHERE MEMBER_STATE = 'ONLINE'""";

	private final List<ServerProcess> nodes = new ArrayList<>();

	ReplicationGroup() {
		try {
			start();
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	private void start() {
		String name = UUID.randomUUID().toString();
		List<String> addresses = Stream.generate(() -> "127.0.0.1:" + ServerProcess.freePort()).limit(NODES).toList();
		String seeds = addresses.stream().collect(Collectors.joining(","));
		for (int i = 0; i < NODES; i++) {
			String prefix = "--loose-group-replication-";
			this.nodes.add(ServerProcess.mysql("--server-id=" + (i + 1), "--log-bin=binlog", "--gtid-mode=ON",
					"--enforce-gtid-consistency=ON", "--report-host=127.0.0.1", "--innodb-buffer-pool-size=128M",
					"--plugin-load-add=group_replication.so", prefix + "group-name=" + name,
					prefix + "local-address=" + addresses.get(i), prefix + "group-seeds=" + seeds,
					prefix + "start-on-boot=OFF", prefix + "recovery-get-public-key=ON"));
		}
		this.nodes.forEach(this::join);
	}

	private void join(ServerProcess node) {
		node.execute("SET SQL_LOG_BIN = 0", "RESET BINARY LOGS AND GTIDS",
				"CREATE USER replication@'%' IDENTIFIED BY 'replication'", """
						GRANT REPLICATION SLAVE, CONNECTION_ADMIN, BACKUP_ADMIN, GROUP_REPLICATION_STREAM
						ON *.* TO replication@'%'""", "SET SQL_LOG_BIN = 1", """
						CHANGE REPLICATION SOURCE TO SOURCE_USER = 'replication', SOURCE_PASSWORD = 'replication'
						FOR CHANNEL 'group_replication_recovery'""");
		if (node == this.nodes.get(0)) {
			node.execute("SET GLOBAL group_replication_bootstrap_group = ON", "START GROUP_REPLICATION",
					"SET GLOBAL group_replication_bootstrap_group = OFF");
		}
		else {
			node.execute("START GROUP_REPLICATION");
		}
		awaitOnline(this.nodes.indexOf(node) + 1);
	}

	/** Waits until so many nodes take part. */
	private void awaitOnline(int count) {
		Awaitility.await(count + " nodes are online")
			.atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> alive().get(0).query(ONLINE, 1).equals(Integer.toString(count)));
	}

	/** The node that takes writes now. */
	ServerProcess primary() {
		List<ServerProcess> found = new ArrayList<>();
		Awaitility.await("the group has a primary").atMost(PATIENCE).ignoreExceptions().until(() -> {
			found.clear();
			alive().stream()
				.filter((node) -> node.query("SELECT @@super_read_only", 1).equals("0"))
				.forEach(found::add);
			return found.size() == 1;
		});
		return found.get(0);
	}

	/** Makes another node the primary, in good order. */
	void switchPrimary() {
		ServerProcess primary = primary();
		ServerProcess next = alive().stream().filter((node) -> node != primary).findFirst().orElseThrow();
		primary.query("SELECT group_replication_set_as_primary('" + next.query("SELECT @@server_uuid", 1) + "')", 1);
	}

	private List<ServerProcess> alive() {
		return this.nodes.stream().filter(ServerProcess::isAlive).toList();
	}

	@Override
	public void close() {
		this.nodes.forEach(ServerProcess::close);
	}

}
