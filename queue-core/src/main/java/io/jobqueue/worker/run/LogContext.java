package io.jobqueue.worker.run;

import java.util.List;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.worker.attempt.Attempt;

import org.slf4j.MDC;

/**
 * Names the job in each line that is logged on the thread of its attempt, the
 * application's lines included: {@code %X{jobId}} in a pattern of Logback or Log4j.
 */
final class LogContext {

	private LogContext() {
	}

	static void set(ClaimedJob job) {
		MDC.put("jobId", Long.toString(job.claim().id()));
		MDC.put("jobType", job.type());
		MDC.put("jobQueue", job.queue());
		MDC.put("jobAttempt", Integer.toString(job.attempt()));
	}

	/**
	 * Names what the jobs of a chunk have in common, and how many they are.
	 */
	static void set(List<Attempt> chunk) {
		MDC.put("jobType", chunk.get(0).job().type());
		MDC.put("jobChunk", Integer.toString(chunk.size()));
	}

	/**
	 * Removes all, for the thread is a slot's: what a handler has left there must not
	 * appear in the lines of the next job.
	 */
	static void clear() {
		MDC.clear();
	}

}
