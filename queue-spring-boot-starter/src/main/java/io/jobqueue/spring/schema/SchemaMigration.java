package io.jobqueue.spring.schema;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.jobqueue.database.Database;
import io.jobqueue.store.SqlFailure;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a Flyway of the queue's own, with its own history table and location, so that it
 * works beside the application's Flyway and without one.
 */
final class SchemaMigration {

	private static final Logger log = LoggerFactory.getLogger(SchemaMigration.class);

	private static final int MAX_TRIES = 8;

	private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	/**
	 * The table, or the row of the history, is there already: MySQL's codes, and H2's.
	 */
	private static final Set<Integer> EXISTS = Set.of(1050, 1062, 42101, 23505);

	private final Flyway flyway;

	private final String folder;

	SchemaMigration(Database database) {
		this.folder = database.dialect().schemaFolder();
		ClassLoader loader = getClass().getClassLoader();
		this.flyway = Flyway.configure(loader)
			.dataSource(database.dataSource())
			.table(JobQueueSchema.HISTORY_TABLE)
			.locations("classpath:" + this.folder)
			.resourceProvider(new MigrationFiles(this.folder, loader))
			.javaMigrationClassProvider(List::of)
			.baselineOnMigrate(true)
			.baselineVersion("0")
			.baselineDescription("before the job queue")
			.cleanDisabled(true)
			.load();
	}

	/**
	 * Migrates. Nodes that start at once get in each other's way while Flyway creates its
	 * history table, before it takes its lock; whoever fails tries again, and finds the
	 * work done. A failure of another kind is tried once more, as an embedded database
	 * may also fail by accident while others change its tables; the same failure twice is
	 * final.
	 */
	void run() {
		FlywayException first = null;
		FlywayException last = null;
		boolean repair = false;
		for (int tries = 1;; tries++) {
			try {
				if (repair) {
					log.info("An earlier migration of the job queue's schema has failed: it is taken out of {} and "
							+ "run again", JobQueueSchema.HISTORY_TABLE);
					this.flyway.repair();
				}
				migrateOnce();
				return;
			}
			catch (FlywayException ex) {
				first = (first != null) ? first : ex;
				repair = isRefused(ex) && hasFailedEarlier();
				if (!repair && !mayPass(ex, last)) {
					throw new SchemaMigrationException(this.folder, ex);
				}
				if (tries == MAX_TRIES) {
					throw new SchemaMigrationException(this.folder, first);
				}
				last = ex;
				log.info("The job queue's schema could not be migrated, trying again: {}",
						SchemaMigrationException.reason(ex));
				LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MAX_PAUSE_NANOS));
			}
		}
	}

	/**
	 * Flyway has one log for all that use it, so it is given back at once.
	 */
	private void migrateOnce() {
		LogFactory.setLogCreator(new MigrationLog());
		try {
			this.flyway.migrate();
		}
		finally {
			LogFactory.setConfiguration(this.flyway.getConfiguration());
		}
	}

	/** Whether nothing was run, because of what the history said. */
	private static boolean isRefused(FlywayException ex) {
		return sqlException(ex) == null;
	}

	/**
	 * Whether the history says that a migration has failed. For databases whose DDL
	 * commits, Flyway wants somebody to remove what such a migration left, and then its
	 * repair. The queue's migrations may be run again on what they left, so that only the
	 * latter is to be done. A failed migration of a newer version is left to that.
	 */
	private boolean hasFailedEarlier() {
		return Arrays.stream(this.flyway.info().all())
			.anyMatch((migration) -> migration.getState() == MigrationState.FAILED);
	}

	/**
	 * Whether other nodes may be the reason. If it is the same twice, it will stay.
	 */
	private static boolean mayPass(FlywayException ex, @Nullable FlywayException last) {
		SQLException sql = sqlException(ex);
		if (sql != null && (SqlFailure.isConflict(sql) || EXISTS.contains(sql.getErrorCode()))) {
			return true;
		}
		return last == null || !Objects.equals(ex.getMessage(), last.getMessage());
	}

	private static @Nullable SQLException sqlException(Throwable failure) {
		Throwable current = failure;
		while (current != null && !(current instanceof SQLException)) {
			current = current.getCause();
		}
		return (SQLException) current;
	}

}
