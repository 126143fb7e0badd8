package io.jobqueue.store.jdbc;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Database;
import io.jobqueue.store.Queues.TableSize;

/**
 * Reads how large the queue's tables are from the server's statistics. MySQL keeps what
 * it shows of them for a day, unless the session wants otherwise; no hint of a statement
 * can say so.
 */
final class TableSizes {

	private static final String SELECT = """
			SELECT table_name AS name, table_rows AS table_rows, data_length + index_length AS bytes
			FROM information_schema.tables
			WHERE table_schema = DATABASE() AND table_name LIKE 'jobqueue\\_%'""";

	private static final String EXPIRY = "SELECT @@SESSION.information_schema_stats_expiry";

	private static final String SET_EXPIRY = "SET SESSION information_schema_stats_expiry = ";

	private final Database database;

	TableSizes(Database database) {
		this.database = database;
	}

	Map<String, TableSize> read() {
		if (!this.database.can(Capability.TABLE_STATISTICS)) {
			return Map.of();
		}
		return this.database.transactions()
			.run(() -> this.database.can(Capability.TABLE_STATISTICS_EXPIRE) ? readOfNow() : readAsShown());
	}

	private Map<String, TableSize> readOfNow() {
		Long usual = this.database.sql(EXPIRY).query(Long.class).single();
		this.database.template().execute(SET_EXPIRY + 0);
		try {
			return readAsShown();
		}
		finally {
			this.database.template().execute(SET_EXPIRY + usual);
		}
	}

	private Map<String, TableSize> readAsShown() {
		Map<String, TableSize> sizes = new TreeMap<>();
		this.database.sql(SELECT).query((row) -> {
			sizes.put(row.getString("name").toLowerCase(Locale.ROOT),
					new TableSize(row.getLong("table_rows"), row.getLong("bytes")));
		});
		return sizes;
	}

}
