package io.jobqueue.spring.schema;

import java.util.List;

import io.jobqueue.store.jdbc.Database;
import io.jobqueue.store.jdbc.SchemaCheck;

import org.flywaydb.core.Flyway;

import org.springframework.beans.factory.InitializingBean;

/**
 * Migrates or checks the queue's tables before anything uses them. It runs a Flyway of
 * its own, with its own history table and location, so that it works beside the
 * application's Flyway and without one.
 */
public final class JobQueueSchema implements InitializingBean {

	/** The table in which Flyway remembers which of the queue's migrations have run. */
	public static final String HISTORY_TABLE = "jobqueue_schema_history";

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

	private void migrate() {
		Flyway.configure(getClass().getClassLoader())
			.dataSource(this.database.dataSource())
			.table(HISTORY_TABLE)
			.locations("classpath:" + this.database.dialect().schemaFolder())
			.baselineOnMigrate(true)
			.baselineVersion("0")
			.baselineDescription("before the job queue")
			.cleanDisabled(true)
			.load()
			.migrate();
	}

	private void validate() {
		List<String> problems = new SchemaCheck(this.database).problems();
		if (!problems.isEmpty()) {
			throw new MissingSchemaException(problems, this.database.dialect().schemaFolder());
		}
	}

}
