package io.jobqueue.benchmark.process;

import java.util.Arrays;

/**
 * What a worker process tells the one that started it.
 *
 * @param ran how many jobs have run
 * @param failed how many attempts neither succeeded nor were stale
 * @param stale how many results were discarded because their claim was no longer current
 * @param conflicts how many transactions were repeated after a deadlock or lock-wait
 * timeout
 * @param peakHeap the most bytes of heap that were in use, garbage included
 */
public record WorkerReport(long ran, long failed, long stale, long conflicts, long peakHeap) {

	/** What is known of a worker before its first report. */
	public static final WorkerReport NOTHING = new WorkerReport(0, 0, 0, 0, 0);

	private static final String START = "report ";

	static boolean isIn(String line) {
		return line.startsWith(START);
	}

	static WorkerReport parse(String line) {
		long[] values = Arrays.stream(line.substring(START.length()).split(" ")).mapToLong(Long::parseLong).toArray();
		return new WorkerReport(values[0], values[1], values[2], values[3], values[4]);
	}

	String line() {
		return START + this.ran + " " + this.failed + " " + this.stale + " " + this.conflicts + " " + this.peakHeap;
	}

	/**
	 * Two workers together.
	 * @param other the other's report
	 * @return the sums, but the larger of the heaps
	 */
	public WorkerReport and(WorkerReport other) {
		return new WorkerReport(this.ran + other.ran, this.failed + other.failed, this.stale + other.stale,
				this.conflicts + other.conflicts, Math.max(this.peakHeap, other.peakHeap));
	}

}
