package io.jobqueue.database;

import java.util.function.Supplier;

import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Lets the connection of a transaction wait for a lock for a second at most, instead of
 * the 50 s that are the server's default.
 */
final class ShortLockWaits {

	private static final Logger log = LoggerFactory.getLogger(ShortLockWaits.class);

	private static final int SECONDS = 1;

	private final JdbcTemplate session;

	private final boolean possible;

	private final Runnable abandonConnection;

	/**
	 * Creates it.
	 * @param dataSource the DataSource of the transactions
	 * @param dialect the dialect
	 * @param abandonConnection closes the connection of the transaction that is open
	 */
	ShortLockWaits(DataSource dataSource, Dialect dialect, Runnable abandonConnection) {
		this.session = new JdbcTemplate(dataSource);
		this.possible = dialect.can(Capability.SET_LOCK_WAIT);
		this.abandonConnection = abandonConnection;
	}

	/**
	 * Does something in the transaction that is open. The pool gets the connection back
	 * as it was, or not at all.
	 * @param <T> what it returns
	 * @param work what to do
	 * @return what it returned
	 */
	<T> T during(Supplier<T> work) {
		Integer usual = this.possible
				? this.session.queryForObject("SELECT @@SESSION.innodb_lock_wait_timeout", Integer.class) : null;
		if (usual == null || usual <= SECONDS) {
			return work.get();
		}
		try {
			set(SECONDS);
			return work.get();
		}
		finally {
			restore(usual);
		}
	}

	private void restore(int usual) {
		boolean restored = false;
		try {
			set(usual);
			restored = true;
		}
		catch (RuntimeException ex) {
			log.debug("How long a connection waits for locks could not be restored, so it is closed", ex);
		}
		finally {
			if (!restored) {
				this.abandonConnection.run();
			}
		}
	}

	private void set(int seconds) {
		this.session.execute("SET SESSION innodb_lock_wait_timeout = " + seconds);
	}

}
