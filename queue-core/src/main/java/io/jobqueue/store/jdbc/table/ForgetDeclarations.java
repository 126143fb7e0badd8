package io.jobqueue.store.jdbc.table;

import java.time.Duration;
import java.util.List;

import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.LockWaits;

import org.springframework.jdbc.core.RowMapper;

/**
 * Deletes declarations that no node has made for long. Those that somebody has locked are
 * left.
 */
public final class ForgetDeclarations {

	private static final String COLUMNS = "SELECT kind, name, definition_hash, revision FROM jobqueue_declaration\n";

	private static final String THESE = "WHERE (kind, name, definition_hash, revision) IN (:rows)";

	private static final String OLD = COLUMNS + """
			WHERE seen_at < {now + :before MICROSECOND}
			LIMIT 200""";

	private static final String FREE = COLUMNS + THESE + " {lockOrWait}";

	private static final String DELETE = "DELETE FROM jobqueue_declaration\n" + THESE;

	private static final RowMapper<Object[]> KEY = (row, number) -> new Object[] { row.getInt("kind"),
			row.getString("name"), row.getString("definition_hash"), row.getLong("revision") };

	private final Database database;

	public ForgetDeclarations(Database database) {
		this.database = database;
	}

	/**
	 * Deletes some of them.
	 * @param age for how long nobody has made them
	 * @return how many were deleted
	 */
	public int forget(Duration age) {
		List<Object[]> old = this.database.sql(OLD).param("before", -Utc.micros(age)).query(KEY).list();
		if (old.isEmpty()) {
			return 0;
		}
		return this.database.transactions().run(LockWaits.SHORT, () -> {
			List<Object[]> free = this.database.sql(FREE).param("rows", old).query(KEY).list();
			return free.isEmpty() ? 0 : this.database.sql(DELETE).param("rows", free).update();
		});
	}

}
