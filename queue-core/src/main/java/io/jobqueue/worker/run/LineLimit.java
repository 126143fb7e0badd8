package io.jobqueue.worker.run;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;

/**
 * Bounds how often something is logged: a few lines for each subject and minute, and how
 * many were left out.
 *
 * @param <S> what lines are counted for; there must not be many
 */
final class LineLimit<S> {

	private static final int LINES = 10;

	private static final Duration PERIOD = Duration.ofMinutes(1);

	private final LongSupplier nanoTime;

	private final ObjIntConsumer<S> leftOut;

	private final Map<S, Period> periods = new ConcurrentHashMap<>();

	/**
	 * Creates a limit.
	 * @param nanoTime the monotonic clock
	 * @param leftOut is told how many lines of a subject were left out
	 */
	LineLimit(LongSupplier nanoTime, ObjIntConsumer<S> leftOut) {
		this.nanoTime = nanoTime;
		this.leftOut = leftOut;
	}

	/**
	 * Counts a line, and says whether it may be written.
	 */
	boolean hasLine(S subject) {
		Period now = this.periods.merge(subject, new Period(this.nanoTime.getAsLong(), 1),
				(known, next) -> new Period(known.began(), known.lines() + 1));
		return now.lines() <= LINES;
	}

	/**
	 * Tells how many were left out, once a period has ended. To be called from time to
	 * time: a period lasts until then.
	 */
	void endPeriods() {
		long now = this.nanoTime.getAsLong();
		this.periods.forEach((subject, period) -> {
			if (now - period.began() > PERIOD.toNanos()) {
				end(subject);
			}
		});
	}

	/**
	 * Tells how many were left out up to now.
	 */
	void endAll() {
		this.periods.keySet().forEach(this::end);
	}

	private void end(S subject) {
		Period ended = this.periods.remove(subject);
		if (ended != null && ended.lines() > LINES) {
			this.leftOut.accept(subject, ended.lines() - LINES);
		}
	}

	/**
	 * A minute or more.
	 *
	 * @param began when the first line came
	 * @param lines how many there were
	 */
	private record Period(long began, int lines) {

	}

}
