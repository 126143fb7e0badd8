package io.jobqueue.store.jdbc.table;

import java.util.function.Supplier;

import io.jobqueue.database.Database;
import io.jobqueue.store.KeysInUse;

/**
 * Whether anything is there of keys for which jobs wait: one plain read, for applications
 * that have none.
 */
public final class ReadKeysInUse implements Supplier<KeysInUse> {

	private static final String SELECT = """
			SELECT
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_order_key) OR EXISTS (SELECT 1 FROM jobqueue_order_place)
			        THEN 1 ELSE 0 END,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_job{byClaim} WHERE state = 9) THEN 1 ELSE 0 END,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_allowance) OR EXISTS (SELECT 1 FROM jobqueue_limit_place)
			        THEN 1 ELSE 0 END,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_job{byClaim} WHERE state = 10) THEN 1 ELSE 0 END
			FROM (SELECT 1 AS one) once""";

	private final Database database;

	public ReadKeysInUse(Database database) {
		this.database = database;
	}

	@Override
	public KeysInUse get() {
		return this.database.read(() -> this.database.sql(SELECT)
			.query((row, number) -> new KeysInUse(row.getInt(1) == 1, row.getInt(2) == 1, row.getInt(3) == 1,
					row.getInt(4) == 1))
			.single());
	}

}
