package io.jobqueue.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.jobqueue.test.MariaDbFiles;
import io.jobqueue.test.Programs;
import io.jobqueue.test.ServerProcess;
import org.awaitility.Awaitility;

import org.springframework.util.FileSystemUtils;

/**
 * Three MariaDB servers that replicate with Galera, each of which takes writes. All start
 * with the same data, so that no tool is needed to copy it when they join.
 */
final class GaleraCluster implements AutoCloseable {

	static final int NODES = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	/**
	 * What a server calls to get a copy of the data when it joins. It has the same data
	 * already, so that all it needs to know is what came after it, which the other sends
	 * by itself.
	 */
	private static final String NOTHING_TO_COPY = """
			#!/bin/sh
			while [ $# -gt 0 ]; do
			  case "$1" in
			    --role) role=$2; shift ;;
			    --address) address=$2; shift ;;
			    --gtid) gtid=$2; shift ;;
			  esac
			  shift
			done
			port=${address#*:}
			port=${port%%/*}
			place="$JOBQUEUE_PLACES/$port"
			if [ "$role" = donor ]; then
			  echo "$gtid" > "$place.new"
			  mv "$place.new" "$place"
			  echo "done $gtid"
			else
			  echo "ready 127.0.0.1:$port/same"
			  until [ -e "$place" ]; do sleep 0.1; done
			  cat "$place"
			fi
			""";

	private final List<ServerProcess> nodes = new ArrayList<>();

	private final Path shared = ServerProcess.newFolder();

	private final MariaDbFiles files = new MariaDbFiles(this.shared.resolve("mariadb"));

	private final List<String> groupAddresses = new ArrayList<>();

	GaleraCluster() {
		Runtime.getRuntime().addShutdownHook(new Thread(this::close, "stop-galera"));
		try {
			start();
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	private void start() {
		try {
			Path script = Files.writeString(this.shared.resolve("wsrep_sst_nothing"), NOTHING_TO_COPY);
			Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
			Path data = this.files.newData();
			ServerProcess first = node(data);
			first.start("--wsrep-new-cluster");
			first.stop();
			// What it knows of its connections; the others shall make their own.
			Files.delete(data.resolve("data/galera.cache"));
			for (int i = 1; i < NODES; i++) {
				Path copy = ServerProcess.newFolder();
				FileSystemUtils.copyRecursively(data.resolve("data"), copy.resolve("data"));
				node(copy);
			}
			first.start("--wsrep-new-cluster");
			awaitSynced(1);
			for (int i = 1; i < NODES; i++) {
				this.nodes.get(i).start("--wsrep-cluster-address=gcomm://" + this.groupAddresses.get(0));
				awaitSynced(i + 1);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private ServerProcess node(Path folder) {
		String name = "node-" + (this.nodes.size() + 1);
		String group = "127.0.0.1:" + ServerProcess.freePort();
		ServerProcess node = new ServerProcess(List.of(this.files.program().toString()), folder,
				List.of("--basedir=" + this.files.base(), "--skip-grant-tables", "--binlog-format=ROW",
						"--innodb-autoinc-lock-mode=2", "--innodb-buffer-pool-size=128M", "--wsrep-on=ON",
						"--wsrep-provider=" + Programs.GALERA.path(), "--wsrep-cluster-name=jobqueue",
						"--wsrep-cluster-address=gcomm://", "--wsrep-node-name=" + name,
						"--wsrep-node-address=" + group, "--wsrep-sst-method=nothing",
						"--wsrep-sst-receive-address=127.0.0.1:" + ServerProcess.freePort(),
						"--wsrep-provider-options=gmcast.listen_addr=tcp://" + group + ";ist.recv_addr=127.0.0.1:"
								+ ServerProcess.freePort() + ";gcache.size=64M"),
				Map.of("PATH", this.shared + ":" + System.getenv("PATH"), "JOBQUEUE_PLACES", this.shared.toString()));
		this.nodes.add(node);
		this.groupAddresses.add(group);
		return node;
	}

	private void awaitSynced(int count) {
		Awaitility.await(count + " nodes are synced").atMost(PATIENCE).ignoreExceptions().until(() -> {
			for (ServerProcess node : this.nodes.subList(0, count)) {
				if (!status(node, "wsrep_local_state_comment").equals("Synced")
						|| !status(node, "wsrep_cluster_size").equals(Integer.toString(count))) {
					return false;
				}
			}
			return true;
		});
	}

	private static String status(ServerProcess node, String name) {
		return node.query("SHOW STATUS LIKE '" + name + "'", 2);
	}

	/** Waits until a node knows that it belongs to the part that may go on. */
	void awaitPrimary(ServerProcess node) {
		Awaitility.await("a majority without those that are dead")
			.atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> status(node, "wsrep_cluster_size").equals(Integer.toString(NODES - 1))
					&& status(node, "wsrep_ready").equals("ON"));
	}

	ServerProcess node(int number) {
		return this.nodes.get(number);
	}

	/** How many transactions were undone because another node's came first. */
	long conflicts() {
		return this.nodes.stream()
			.filter(ServerProcess::isAlive)
			.mapToLong((node) -> Long.parseLong(status(node, "wsrep_local_cert_failures"))
					+ Long.parseLong(status(node, "wsrep_local_bf_aborts")))
			.sum();
	}

	@Override
	public void close() {
		this.nodes.forEach(ServerProcess::close);
		try {
			FileSystemUtils.deleteRecursively(this.shared);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
