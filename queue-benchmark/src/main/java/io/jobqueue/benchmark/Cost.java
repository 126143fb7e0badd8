package io.jobqueue.benchmark;

import java.util.Locale;

/**
 * What the server has done since it started, or between two such readings.
 *
 * @param commits transactions that were committed with changes
 * @param statements statements of any kind
 * @param redoBytes bytes written to the redo log
 * @param binlogBytes bytes written to the binary log
 * @param rowLocks row locks that were taken
 * @param pageReads pages that were looked at in the buffer pool
 * @param rowsRead rows that were read from indexes and tables
 * @param clientNanos processor time of this process
 */
record Cost(long commits, long statements, long redoBytes, long binlogBytes, long rowLocks, long pageReads,
		long rowsRead, long clientNanos) {

	Cost since(Cost before) {
		return new Cost(this.commits - before.commits, this.statements - before.statements,
				this.redoBytes - before.redoBytes, this.binlogBytes - before.binlogBytes,
				this.rowLocks - before.rowLocks, this.pageReads - before.pageReads, this.rowsRead - before.rowsRead,
				this.clientNanos - before.clientNanos);
	}

	String perJob(long jobs) {
		return String.format(Locale.ROOT,
				"commits_per_job=%.4f statements_per_job=%.3f redo_bytes_per_job=%d binlog_bytes_per_job=%d "
						+ "row_locks_per_job=%.2f page_reads_per_job=%.1f rows_read_per_job=%.1f client_us_per_job=%.1f",
				(double) this.commits / jobs, (double) this.statements / jobs, this.redoBytes / jobs,
				this.binlogBytes / jobs, (double) this.rowLocks / jobs, (double) this.pageReads / jobs,
				(double) this.rowsRead / jobs, this.clientNanos / 1e3 / jobs);
	}

}
