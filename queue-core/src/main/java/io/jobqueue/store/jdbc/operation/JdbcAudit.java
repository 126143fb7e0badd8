package io.jobqueue.store.jdbc.operation;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.jobqueue.AuditEntry;
import io.jobqueue.AuditEntry.Outcome;
import io.jobqueue.AuditEntry.Source;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.AuditStore;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.support.GeneratedKeyHolder;

/**
 * The audit in SQL.
 */
public final class JdbcAudit implements AuditStore {

	private static final String BEGIN = """
			INSERT INTO jobqueue_audit (begun_at, actor, source, action, target)
			VALUES ({now}, :actor, :source, :action, :target)""";

	private static final String END = """
			UPDATE jobqueue_audit SET outcome = :outcome, changed = :changed, problem = :problem WHERE id = :id""";

	private static final String LIST = """
			SELECT id, {readable begun_at} AS at_utc, actor, source, action, target, changed, outcome, problem
			FROM jobqueue_audit{byPrimary}
			WHERE id < :before
			ORDER BY id DESC
			LIMIT :limit""";

	/** Times grow with the numbers, but for jumps of the clock. */
	private static final String OLDEST = """
			SELECT id, CASE WHEN begun_at < {now + :age MICROSECOND} THEN 1 ELSE 0 END AS is_old
			FROM jobqueue_audit{byPrimary}
			ORDER BY id
			LIMIT :limit""";

	private static final String DELETE = """
			{delete jobqueue_audit} WHERE id IN (:ids)""";

	private static final String OLD_OPERATIONS = """
			SELECT id FROM jobqueue_operation{byPrimary} WHERE state <> 0 AND ended_at < {now + :age MICROSECOND} LIMIT :limit""";

	private static final String DELETE_OPERATIONS = """
			{delete jobqueue_operation} WHERE id IN (:ids)""";

	private final Database database;

	public JdbcAudit(Database database) {
		this.database = database;
	}

	@Override
	public long begin(What what) {
		return this.database.transactions().run(() -> {
			GeneratedKeyHolder key = new GeneratedKeyHolder();
			this.database.sql(BEGIN)
				.param("actor", what.actor())
				.param("source", what.source().ordinal())
				.param("action", what.action())
				.param("target", what.target())
				.update(key, "id");
			return Objects.requireNonNull(key.getKey()).longValue();
		});
	}

	@Override
	public void end(long id, Outcome outcome, @Nullable Long changed, String problem) {
		this.database.transactions()
			.run(() -> this.database.sql(END)
				.param("outcome", outcome.ordinal())
				.param("changed", changed)
				.param("problem", problem)
				.param("id", id)
				.update());
	}

	@Override
	public List<AuditEntry> list(@Nullable Long before, int limit) {
		return this.database.read(() -> this.database.sql(LIST)
			.param("before", (before != null) ? before : Long.MAX_VALUE)
			.param("limit", limit)
			.query((row, number) -> entry(row))
			.list());
	}

	private static AuditEntry entry(ResultSet row) throws SQLException {
		long changed = row.getLong("changed");
		boolean unknown = row.wasNull();
		return new AuditEntry(row.getLong("id"), Utc.instant(row, "at_utc"), row.getString("actor"),
				of(Source.values(), row.getInt("source"), Source.API), row.getString("action"), row.getString("target"),
				unknown ? null : changed, of(Outcome.values(), row.getInt("outcome"), Outcome.BEGUN),
				row.getString("problem"));
	}

	/** Another program may have written any number. */
	private static <E extends Enum<E>> E of(E[] all, int ordinal, E other) {
		return Arrays.stream(all).filter((one) -> one.ordinal() == ordinal).findAny().orElse(other);
	}

	/**
	 * Operations that have ended are kept for as long as what tells of them.
	 */
	@Override
	public int prune(Duration age, int limit) {
		this.database.transactions().run(() -> {
			List<Long> old = this.database.sql(OLD_OPERATIONS)
				.param("age", -Utc.micros(age))
				.param("limit", limit)
				.query(Long.class)
				.list();
			return old.isEmpty() ? 0 : this.database.numbers(DELETE_OPERATIONS).ids(old).update();
		});
		return this.database.transactions().run(() -> {
			List<Long> old = this.database.sql(OLDEST)
				.param("age", -Utc.micros(age))
				.param("limit", limit)
				.query((row, number) -> (row.getInt("is_old") == 1) ? row.getLong("id") : -1)
				.list()
				.stream()
				.takeWhile((id) -> id >= 0)
				.toList();
			return old.isEmpty() ? 0 : this.database.numbers(DELETE).ids(old).update();
		});
	}

}
