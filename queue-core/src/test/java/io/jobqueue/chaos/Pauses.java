package io.jobqueue.chaos;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Random;

import javax.sql.DataSource;

import io.jobqueue.JobQueue;
import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.chaos.History.Pause;
import org.awaitility.Awaitility;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionException;

/**
 * An operator who pauses a queue again and again, whatever else happens.
 */
final class Pauses implements AutoCloseable {

	/** Longer than the checker allows for the claims that had begun. */
	private static final int LEAST_MILLIS = 4000;

	private static final int MORE_MILLIS = 2000;

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final JobQueue queue;

	private final JdbcTemplate sql;

	private final History history;

	private final Random random;

	private final Thread thread = new Thread(this::goOn, "pauses");

	Pauses(DataSource dataSource, History history, long seed) {
		this.queue = Producer.queue(dataSource);
		this.sql = new JdbcTemplate(dataSource);
		this.history = history;
		this.random = new Random(seed);
	}

	void start() {
		this.thread.start();
	}

	private void goOn() {
		try {
			while (true) {
				Thread.sleep(this.random.nextInt(LEAST_MILLIS));
				pauseOnce();
			}
		}
		catch (InterruptedException ex) {
			// It is over.
		}
	}

	private void pauseOnce() throws InterruptedException {
		try {
			this.queue.pause(Producer.PAUSED_AT_TIMES);
			LocalDateTime from = now();
			Thread.sleep(LEAST_MILLIS + this.random.nextInt(MORE_MILLIS));
			this.history.paused(new Pause(Producer.PAUSED_AT_TIMES, from, now()));
			this.queue.resume(Producer.PAUSED_AT_TIMES);
		}
		catch (DataAccessException | TransactionException | UnknownOutcomeException ex) {
			this.history.note("pause failed: " + ex);
		}
	}

	private LocalDateTime now() {
		return this.sql.queryForObject("SELECT UTC_TIMESTAMP(6)", LocalDateTime.class);
	}

	/**
	 * Ends the pauses. The last one may have been committed although it failed.
	 */
	void stop() {
		this.thread.interrupt();
		try {
			this.thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		Awaitility.await("the queue goes on").atMost(PATIENCE).ignoreExceptions().until(() -> {
			this.queue.resume(Producer.PAUSED_AT_TIMES);
			return true;
		});
	}

	@Override
	public void close() {
		this.thread.interrupt();
	}

}
