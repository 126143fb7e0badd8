package io.jobqueue.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Objects;
import java.util.function.Supplier;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.Agenda;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Reads what there is to do: each part is a dive or two of an index. What another program
 * has written here must keep no part of the maintenance from its work.
 */
public final class ReadAgenda implements Supplier<Agenda> {

	private static final String SELECT = """
			SELECT {now} AS now_utc,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_session WHERE expires_at < {now})
			            OR EXISTS (SELECT 1 FROM jobqueue_start)
			            OR EXISTS (SELECT 1 FROM jobqueue_job{byClaim} WHERE state = 1)
			        THEN 1 ELSE 0 END AS rescue,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_job{byExpiry}
			                      WHERE expires_at >= '1970-01-01 00:00:00' AND expires_at <= {now} AND state IN ({notRunning}))
			        THEN 1 ELSE 0 END AS expired,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_job{byClaim} WHERE state < 0)
			            OR EXISTS (SELECT 1 FROM jobqueue_job{byClaim} WHERE state BETWEEN 3 AND 6)
			            OR EXISTS (SELECT 1 FROM jobqueue_job{byClaim} WHERE state > 10)
			        THEN 1 ELSE 0 END AS unknown_states,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_schedule{byDue} WHERE due_at <= {now})
			        THEN 0
			        ELSE TIMESTAMPDIFF(MICROSECOND, {now}, (SELECT MIN(due_at) FROM jobqueue_schedule{byDue}))
			        END AS until_tick,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_operation{byState} WHERE state = 0) THEN 1 ELSE 0 END AS operations,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_order_key) OR EXISTS (SELECT 1 FROM jobqueue_order_place)
			        THEN 1 ELSE 0 END AS order_keys,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_job{byClaim} WHERE state = 9) THEN 1 ELSE 0 END AS order_jobs,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_limit_place) THEN 1 ELSE 0 END AS limit_places,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_job{byClaim} WHERE state = 10) THEN 1 ELSE 0 END AS limit_jobs,
			    CASE WHEN EXISTS (SELECT 1 FROM jobqueue_allowance WHERE limit_key <> '') THEN 1 ELSE 0 END AS limit_keys
			FROM (SELECT 1 AS one) once""";

	/** Whoever has locked one of the tables must not keep maintenance from the others. */
	private static final int TIMEOUT_SECONDS = 2;

	private final Database database;

	private final JdbcTemplate limited;

	public ReadAgenda(Database database) {
		this.database = database;
		this.limited = new JdbcTemplate(Objects.requireNonNull(database.template().getDataSource()));
		if (database.can(Capability.LIMIT_STATEMENT_TIME)) {
			this.limited.setQueryTimeout(TIMEOUT_SECONDS);
		}
	}

	@Override
	public Agenda get() {
		return this.database.read(() -> JdbcClient.create(this.limited)
			.sql(this.database.constant(SELECT))
			.query((row, number) -> new Agenda(row.getObject("now_utc", LocalDateTime.class), is(row, "rescue"),
					is(row, "expired"), is(row, "unknown_states"), untilTick(row), is(row, "operations"),
					new Agenda.KeysInUse(is(row, "order_keys"), is(row, "order_jobs"), is(row, "limit_places"),
							is(row, "limit_jobs"), is(row, "limit_keys"))))
			.single());
	}

	private static boolean is(ResultSet row, String column) throws SQLException {
		return row.getInt(column) == 1;
	}

	private static @Nullable Duration untilTick(ResultSet row) throws SQLException {
		long micros = row.getLong("until_tick");
		return row.wasNull() ? null : Utc.ofMicros(micros);
	}

}
