package io.jobqueue.spring.schema;

import org.flywaydb.core.api.logging.Log;
import org.flywaydb.core.api.logging.LogCreator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Flyway logs while it migrates the queue's tables, without one warning: that the
 * server is newer than those which this Flyway was tested with. It would come at every
 * start, and the queue's migrations are tested with the servers that
 * docs/operations/operating.md names.
 */
final class MigrationLog implements LogCreator {

	private static final String NEWER_SERVER = "newer than the version Flyway has been verified with";

	@Override
	public Log createLogger(Class<?> flywayClass) {
		return new WithoutOneWarning(LoggerFactory.getLogger(flywayClass));
	}

	private static final class WithoutOneWarning implements Log {

		private final Logger log;

		WithoutOneWarning(Logger log) {
			this.log = log;
		}

		@Override
		public void debug(String message) {
			this.log.debug(message);
		}

		@Override
		public void info(String message) {
			this.log.info(message);
		}

		@Override
		public void warn(String message) {
			if (message.contains(NEWER_SERVER)) {
				this.log.debug(message);
			}
			else {
				this.log.warn(message);
			}
		}

		@Override
		public void error(String message) {
			this.log.error(message);
		}

		@Override
		public void error(String message, Exception ex) {
			this.log.error(message, ex);
		}

		@Override
		public void notice(String message) {
			this.log.info(message);
		}

	}

}
