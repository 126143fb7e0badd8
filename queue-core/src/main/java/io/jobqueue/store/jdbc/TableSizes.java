package io.jobqueue.store.jdbc;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Database;
import io.jobqueue.store.Queues.TableSize;

/**
 * Reads how large the queue's tables are from the server's statistics. MySQL keeps what
 * it shows of them for a day, unless it is told otherwise.
 */
final class TableSizes {

	private static final String SELECT = """
			SELECT /*+ SET_VAR(information_schema_stats_expiry = 0) */ table_name AS name, table_rows AS table_rows,
			    data_length + index_length AS bytes
			FROM information_schema.tables
			WHERE table_schema = DATABASE() AND table_name LIKE 'jobqueue\\_%'""";

	private final Database database;

	TableSizes(Database database) {
		this.database = database;
	}

	Map<String, TableSize> read() {
		Map<String, TableSize> sizes = new TreeMap<>();
		if (this.database.can(Capability.TABLE_STATISTICS)) {
			this.database.sql(SELECT).query((row) -> {
				sizes.put(row.getString("name").toLowerCase(Locale.ROOT),
						new TableSize(row.getLong("table_rows"), row.getLong("bytes")));
			});
		}
		return sizes;
	}

}
