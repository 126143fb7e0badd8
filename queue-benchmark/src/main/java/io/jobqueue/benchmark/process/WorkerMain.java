package io.jobqueue.benchmark.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

import io.jobqueue.benchmark.Server;
import io.jobqueue.benchmark.system.Incidents;
import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Systems;
import io.jobqueue.benchmark.system.Work;

/**
 * A process that has one worker. It says that it is ready, starts when it reads a line,
 * reports all the time, and ends with its standard input, and so with the process that
 * started it, however that ends.
 */
public final class WorkerMain {

	/** The command that makes the benchmark such a process. */
	public static final String NAME = "worker";

	/** The system property that says how many slots the worker has. */
	public static final String SLOTS = "benchmark.slots";

	private static final int USUAL_SLOTS = 8;

	private static final long REPORT_MILLIS = 10;

	private final QueueSystem system;

	private final Work work = Work.nothing(Integer.getInteger(SLOTS, USUAL_SLOTS));

	private long peakHeap;

	private WorkerMain(QueueSystem system) {
		this.system = system;
	}

	/**
	 * Runs until the standard input ends.
	 * @param name the system
	 * @param server where it runs; its tables are there
	 * @throws IOException if the standard input cannot be read
	 * @throws InterruptedException if the thread is interrupted
	 */
	public static void run(String name, Server server) throws IOException, InterruptedException {
		BufferedReader parent = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
		QueueSystem system = Systems.named(name, server);
		WorkerMain worker = new WorkerMain(system);
		try {
			worker.work(parent);
		}
		finally {
			system.close();
		}
		worker.report();
	}

	private void work(BufferedReader parent) throws IOException, InterruptedException {
		System.out.println(ChildProcess.READY);
		if (parent.readLine() == null) {
			return;
		}
		this.system.start(this.work);
		Thread reports = new Thread(this::reportAgainAndAgain, "reports");
		reports.setDaemon(true);
		reports.start();
		while (parent.readLine() != null) {
			// Nothing else is said.
		}
		reports.interrupt();
		reports.join();
	}

	private void reportAgainAndAgain() {
		try {
			while (true) {
				report();
				Thread.sleep(REPORT_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			// That was the last but one.
		}
	}

	private void report() {
		Runtime runtime = Runtime.getRuntime();
		this.peakHeap = Math.max(this.peakHeap, runtime.totalMemory() - runtime.freeMemory());
		Incidents incidents = this.system.incidents();
		WorkerReport report = new WorkerReport(this.work.runs().sum(), incidents.failed(), incidents.stale(),
				incidents.conflicts(), this.peakHeap);
		System.out.println(report.line());
	}

}
