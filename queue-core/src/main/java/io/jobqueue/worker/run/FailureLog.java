package io.jobqueue.worker.run;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.worker.attempt.Attempt;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failed attempts. When many jobs of a type fail, as they do while a service that
 * they call is away, a few lines say what is wrong, and the rest are counted.
 */
public final class FailureLog {

	private static final Logger log = LoggerFactory.getLogger(FailureLog.class);

	/** Bounded: there is a handler for each type. */
	private final LineLimit<String> retries;

	private final LineLimit<String> deaths;

	/**
	 * Creates the log.
	 * @param nanoTime the monotonic clock
	 */
	public FailureLog(LongSupplier nanoTime) {
		this.retries = new LineLimit<>(nanoTime, (type, more) -> log.info(
				"{} more attempt(s) at jobs of type {} failed, for whatever reason, and were not logged one by one",
				more, type));
		this.deaths = new LineLimit<>(nanoTime,
				(type, more) -> log.warn(
						"{} more job(s) of type {} became dead, for whatever reason, and were not logged one by one",
						more, type));
	}

	/**
	 * Another attempt follows.
	 */
	void retried(Attempt attempt, Throwable failure, Duration delay) {
		ClaimedJob job = attempt.job();
		if (this.retries.hasLine(job.type())) {
			log.info("{} job {} failed (attempt {} of {}), next in {} ms: {}", job.type(), job.claim().id(),
					job.attempt(), attempt.maxAttempts(), delay.toMillis(), FailureTexts.oneLine(failure));
		}
		log.debug("{} job {} failed", job.type(), job.claim().id(), failure);
	}

	/**
	 * No other attempt follows. The job is dead only once this is committed, and not at
	 * all if a commit of the handler's own, whose answer was lost, took place.
	 * @param attempt the attempt
	 * @param failure what it failed by
	 * @param stored the same as it is stored, which may be less
	 */
	void dies(Attempt attempt, Throwable failure, Failure stored) {
		ClaimedJob job = attempt.job();
		if (this.deaths.hasLine(job.type())) {
			String text = FailureTexts.oneLine(failure);
			if (isMessageOnly(failure)) {
				log.warn("{} job {} failed (attempt {} of {}) and becomes dead: {}", job.type(), job.claim().id(),
						job.attempt(), attempt.maxAttempts(), FailureTexts.all(stored));
			}
			else if (stored.isShortened()) {
				log.warn("{} job {} failed (attempt {} of {}) and becomes dead: {}\n{}", job.type(), job.claim().id(),
						job.attempt(), attempt.maxAttempts(), text, stored.stackTrace());
			}
			else {
				log.warn("{} job {} failed (attempt {} of {}) and becomes dead: {}", job.type(), job.claim().id(),
						job.attempt(), attempt.maxAttempts(), text, failure);
			}
		}
		else {
			log.debug("{} job {} failed and becomes dead", job.type(), job.claim().id(), failure);
		}
	}

	private static boolean isMessageOnly(Throwable failure) {
		return failure.getStackTrace().length == 0 && failure.getCause() == null && failure.getSuppressed().length == 0;
	}

	/**
	 * Says how many were left out in the minutes that are over. To be called from time to
	 * time.
	 */
	public void endPeriods() {
		this.retries.endPeriods();
		this.deaths.endPeriods();
	}

	/**
	 * Says how many were left out up to now.
	 */
	public void close() {
		this.retries.endAll();
		this.deaths.endAll();
	}

}
