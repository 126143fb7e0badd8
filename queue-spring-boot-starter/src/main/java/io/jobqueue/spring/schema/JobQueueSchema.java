package io.jobqueue.spring.schema;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.jobqueue.store.jdbc.Database;
import io.jobqueue.store.jdbc.SchemaCheck;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.InitializingBean;

/**
 * Migrates or checks the queue's tables before anything uses them. It runs a Flyway of
 * its own, with its own history table and location, so that it works beside the
 * application's Flyway and without one.
 */
public final class JobQueueSchema implements InitializingBean {

	/** The table in which Flyway remembers which of the queue's migrations have run. */
	public static final String HISTORY_TABLE = "jobqueue_schema_history";

	private static final Logger log = LoggerFactory.getLogger(JobQueueSchema.class);

	private static final int MAX_TRIES = 8;

	private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private final Database database;

	private final SchemaMode mode;

	/**
	 * Creates the schema's initializer.
	 * @param database the queue's database
	 * @param mode what to do
	 */
	public JobQueueSchema(Database database, SchemaMode mode) {
		this.database = database;
		this.mode = mode;
	}

	@Override
	public void afterPropertiesSet() {
		switch (this.mode) {
			case MIGRATE -> migrate();
			case VALIDATE -> validate();
			case NONE -> {
			}
		}
	}

	/**
	 * Migrates. Nodes that start at once get in each other's way while Flyway creates its
	 * history table, before it takes its lock; whoever fails tries again, and finds the
	 * work done.
	 */
	private void migrate() {
		for (int tries = 1;; tries++) {
			try {
				flyway().migrate();
				return;
			}
			catch (FlywayException ex) {
				if (tries == MAX_TRIES) {
					throw ex;
				}
				log.info("The job queue's schema could not be migrated, trying again: {}", ex.getMessage());
				LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MAX_PAUSE_NANOS));
			}
		}
	}

	private Flyway flyway() {
		return Flyway.configure(getClass().getClassLoader())
			.dataSource(this.database.dataSource())
			.table(HISTORY_TABLE)
			.locations("classpath:" + this.database.dialect().schemaFolder())
			.baselineOnMigrate(true)
			.baselineVersion("0")
			.baselineDescription("before the job queue")
			.cleanDisabled(true)
			.load();
	}

	private void validate() {
		List<String> problems = new SchemaCheck(this.database).problems();
		if (!problems.isEmpty()) {
			throw new MissingSchemaException(problems, this.database.dialect().schemaFolder());
		}
	}

}
