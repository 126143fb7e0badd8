package io.jobqueue.history;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.HistoryStore;
import io.jobqueue.text.Durations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Writes what this node has counted, soon after each full minute, and keeps the history
 * small. What cannot be written is kept for the next minute.
 */
public final class HistoryWriter {

	private static final Logger log = LoggerFactory.getLogger(HistoryWriter.class);

	private static final long MINUTE_MILLIS = Duration.ofMinutes(1).toMillis();

	/** Nodes do not all write at once. */
	private static final long SPREAD_MILLIS = Duration.ofSeconds(5).toMillis();

	private static final Duration STOP_WAIT = Duration.ofSeconds(2);

	private static final int MINUTES_TO_THINNING = 10;

	private final HistoryRecorder recorder;

	private final HistoryStore store;

	private final ThinHistory thinning;

	private final Clock clock;

	/**
	 * Always the same: where the clocks differ, each minute still gets the counts of one.
	 */
	private final long spread = ThreadLocalRandom.current().nextLong(SPREAD_MILLIS);

	private volatile @Nullable ScheduledExecutorService thread;

	private volatile boolean failing;

	/** Used by the thread only. */
	private int minutes;

	/**
	 * Creates the writer; nothing is started yet.
	 * @param recorder what was counted
	 * @param store where it is written
	 * @param keep how long it is kept
	 * @param clock says when a minute is over; in which one something has happened is
	 * said by the database's
	 */
	public HistoryWriter(HistoryRecorder recorder, HistoryStore store, Duration keep, Clock clock) {
		this.recorder = recorder;
		this.store = store;
		this.thinning = new ThinHistory(store, keep);
		this.clock = clock;
	}

	/**
	 * Starts to write.
	 */
	public void start() {
		CustomizableThreadFactory factory = new CustomizableThreadFactory("jobqueue-history-");
		factory.setDaemon(true);
		ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(factory);
		this.thread = started;
		this.minutes = ThreadLocalRandom.current().nextInt(MINUTES_TO_THINNING);
		goOn(started);
	}

	public boolean isRunning() {
		return this.thread != null;
	}

	private void goOn(ScheduledExecutorService executor) {
		long wait = MINUTE_MILLIS - this.clock.millis() % MINUTE_MILLIS + this.spread;
		try {
			executor.schedule(() -> {
				try {
					write();
					thinNowAndThen();
				}
				finally {
					goOn(executor);
				}
			}, wait, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			log.debug("The history was stopped meanwhile");
		}
	}

	/**
	 * Stops, and writes what was counted since the last minute. That takes two seconds at
	 * most; what is not written by then is missing from the history.
	 */
	public void stop() {
		ScheduledExecutorService running = this.thread;
		this.thread = null;
		if (running == null) {
			return;
		}
		Future<?> last = running.submit(this::write);
		try {
			last.get(STOP_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (TimeoutException ex) {
			log.warn("The last minute of the history could not be written within {}", Durations.text(STOP_WAIT));
		}
		catch (ExecutionException ex) {
			log.warn("The last minute of the history could not be written", ex.getCause());
		}
		running.shutdownNow();
	}

	/**
	 * Writes what was counted. Not for two threads at once.
	 */
	public void write() {
		List<HistoryRow> rows = this.recorder.take();
		long taken = System.nanoTime();
		try {
			this.store.add(rows, () -> Duration.ofNanos(System.nanoTime() - taken));
			if (this.failing) {
				this.failing = false;
				log.info("The history is written again");
			}
		}
		catch (UnknownOutcomeException ex) {
			// To write them once more might count them twice.
			log.warn("Nobody knows whether a minute of the history was written: {}", ex.toString());
		}
		catch (DataIntegrityViolationException ex) {
			// They would be refused each minute, and all that follow with them.
			log.error("A minute of the history was refused, and is left out", ex);
		}
		catch (RuntimeException ex) {
			this.recorder.giveBack(rows);
			note(ex);
		}
	}

	private void thinNowAndThen() {
		if (++this.minutes % MINUTES_TO_THINNING != 0) {
			return;
		}
		try {
			this.thinning.run();
		}
		catch (RuntimeException ex) {
			note(ex);
		}
	}

	private void note(RuntimeException failure) {
		if (!this.failing) {
			this.failing = true;
			log.warn("The history cannot be written, or made smaller; tried again each minute, and what was counted is "
					+ "kept until then: {}", failure.toString());
		}
		log.debug("The history cannot be written, or made smaller", failure);
	}

}
