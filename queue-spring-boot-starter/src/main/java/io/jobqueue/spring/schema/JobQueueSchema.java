package io.jobqueue.spring.schema;

import java.util.List;

import io.jobqueue.database.Database;
import io.jobqueue.store.jdbc.SchemaCheck;

import org.springframework.beans.factory.InitializingBean;

/**
 * Migrates or checks the queue's tables before anything uses them.
 */
public final class JobQueueSchema implements InitializingBean {

	/** The table in which Flyway remembers which of the queue's migrations have run. */
	public static final String HISTORY_TABLE = "jobqueue_schema_history";

	private final Runnable start;

	private JobQueueSchema(Runnable start) {
		this.start = start;
	}

	/**
	 * Tables that are created and migrated, with a history table of their own. They are
	 * checked afterwards: tables that were made by hand may lack something.
	 * @param database the queue's database
	 * @return the schema's initializer, which throws {@link SchemaMigrationException} or
	 * {@link MissingSchemaException}
	 */
	public static JobQueueSchema migrated(Database database) {
		return new JobQueueSchema(() -> {
			new SchemaMigration(database).run();
			check(database);
		});
	}

	/**
	 * Tables that somebody else makes, and that are only checked.
	 * @param database the queue's database
	 * @return the schema's initializer, which throws {@link MissingSchemaException}
	 */
	public static JobQueueSchema validated(Database database) {
		return new JobQueueSchema(() -> check(database));
	}

	/**
	 * Tables that are nobody's business at start-up.
	 * @return an initializer that does nothing
	 */
	public static JobQueueSchema untouched() {
		return new JobQueueSchema(() -> {
		});
	}

	private static void check(Database database) {
		List<String> problems = new SchemaCheck(database).problems();
		if (!problems.isEmpty()) {
			throw new MissingSchemaException(problems, database.dialect().schemaFolder());
		}
	}

	@Override
	public void afterPropertiesSet() {
		this.start.run();
	}

}
