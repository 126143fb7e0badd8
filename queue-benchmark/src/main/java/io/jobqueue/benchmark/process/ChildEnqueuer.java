package io.jobqueue.benchmark.process;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.jobqueue.benchmark.Server;

/**
 * A process that enqueues jobs at a steady rate, seen from the process that started it.
 */
public final class ChildEnqueuer implements AutoCloseable {

	private final ChildProcess process;

	private final Map<Long, Long> committed = new ConcurrentHashMap<>();

	/**
	 * Starts the process.
	 * @param system the system that it enqueues with
	 * @param server where that runs
	 * @throws IOException if the process cannot be started
	 */
	public ChildEnqueuer(String system, Server server) throws IOException {
		this.process = ChildProcess.start(List.of(), EnqueuerMain.NAME, system, server, this::read);
	}

	private boolean read(String line) {
		if (!line.startsWith(EnqueuerMain.ENQUEUED)) {
			return false;
		}
		String[] words = line.split(" ");
		this.committed.put(Long.parseLong(words[1]), Long.parseLong(words[2]));
		return true;
	}

	/**
	 * Lets it enqueue, from when it can.
	 * @throws IOException if it cannot be told
	 * @throws InterruptedException if the thread is interrupted
	 */
	public void begin() throws IOException, InterruptedException {
		this.process.awaitReady();
		this.process.begin();
	}

	/**
	 * What it has enqueued.
	 * @return when each job was committed by its id, as {@link EnqueuerMain#micros()}
	 */
	public Map<Long, Long> committed() {
		this.process.checkAlive();
		return this.committed;
	}

	@Override
	public void close() {
		this.process.close();
	}

}
