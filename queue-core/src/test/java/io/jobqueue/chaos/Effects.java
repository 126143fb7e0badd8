package io.jobqueue.chaos;

import io.jobqueue.store.Claim;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The tables in which handlers leave their traces: a row for each run, under the fence of
 * its claim. No unique key hides a duplicate.
 */
final class Effects {

	/** What handlers did, committed before they returned. */
	static final String EFFECT = "effect";

	/** What transactional handlers did, committed with their acks. */
	static final String LEDGER = "ledger";

	private static final String TABLE = """
			CREATE TABLE %s (
			  seq     BIGINT      NOT NULL AUTO_INCREMENT PRIMARY KEY,
			  job_id  BIGINT      NOT NULL,
			  fence   BIGINT      NOT NULL,
			  attempt INT         NOT NULL,
			  worker  VARCHAR(64) NOT NULL,
			  at      DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)))""";

	private static final String INSERT = "INSERT INTO %s (job_id, fence, attempt, worker) VALUES (?, ?, ?, ?)";

	private final JdbcTemplate sql;

	private final String worker;

	Effects(JdbcTemplate sql, String worker) {
		this.sql = sql;
		this.worker = worker;
	}

	static void createTables(JdbcTemplate sql) {
		sql.execute(TABLE.formatted(EFFECT));
		sql.execute(TABLE.formatted(LEDGER));
	}

	void leave(String table, Claim claim, int attempt) {
		this.sql.update(INSERT.formatted(table), claim.id(), claim.fence(), attempt, this.worker);
	}

}
