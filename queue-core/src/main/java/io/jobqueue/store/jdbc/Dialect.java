package io.jobqueue.store.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Map;

import javax.sql.DataSource;

import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * What differs between the databases, as named fragments that stand in braces in the
 * statements.
 */
public enum Dialect {

	/** MySQL 8.0.19+ and MariaDB 10.6+. */
	MYSQL("mysql", Map.of(
	// @formatter:off
			"now", "UTC_TIMESTAMP(6)",
			"byClaim", " FORCE INDEX (jobqueue_job_claim)",
			"byExpiry", " FORCE INDEX (jobqueue_job_expiry)",
			"byFinished", " FORCE INDEX (jobqueue_archive_finished)",
			"byPrimary", " FORCE INDEX (PRIMARY)",
			"j", "j ",
			"e", "e ",
			"keysStart", "INSERT INTO jobqueue_unique_key (type, unique_key, job_id, expires_at) VALUES",
			"keysEnd", "ON DUPLICATE KEY UPDATE job_id = job_id",
			"readCommitted", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED")),
	// @formatter:on

	/** H2 2.x, as Spring Boot configures it and in MySQL mode. */
	H2("h2", Map.of(
	// @formatter:off
			"now", "DATEADD(MICROSECOND, CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT), TIMESTAMP '1970-01-01 00:00:00')",
			"byClaim", "",
			"byExpiry", "",
			"byFinished", "",
			"byPrimary", "",
			"j", "",
			"e", "",
			"keysStart", "MERGE INTO jobqueue_unique_key k USING (VALUES",
			"keysEnd", """
					) AS s (type, unique_key, job_id, expires_at) ON k.type = s.type AND k.unique_key = s.unique_key
					WHEN NOT MATCHED THEN INSERT (type, unique_key, job_id, expires_at)
					VALUES (s.type, s.unique_key, s.job_id, s.expires_at)""",
			"readCommitted", "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED"));
	// @formatter:on

	private final String folder;

	private final Map<String, String> fragments;

	Dialect(String folder, Map<String, String> fragments) {
		this.folder = folder;
		this.fragments = fragments;
	}

	/**
	 * Finds the dialect of a database.
	 * @param dataSource the database
	 * @return its dialect
	 * @throws IllegalStateException if it is none that is supported; the message names it
	 * @throws org.springframework.jdbc.CannotGetJdbcConnectionException if it cannot be
	 * reached
	 */
	public static Dialect of(DataSource dataSource) {
		try {
			String product = JdbcUtils.extractDatabaseMetaData(dataSource, DatabaseMetaData::getDatabaseProductName);
			return switch (product) {
				case "MySQL", "MariaDB" -> MYSQL;
				case "H2" -> H2;
				default -> throw new IllegalStateException(
						"The job queue works on MySQL, MariaDB and H2, but its DataSource is " + product);
			};
		}
		catch (MetaDataAccessException ex) {
			if (ex.getCause() instanceof SQLException cause) {
				throw new CannotGetJdbcConnectionException("Cannot ask the job queue's database what it is", cause);
			}
			throw new IllegalStateException("Cannot ask the job queue's database what it is", ex);
		}
	}

	/**
	 * Where the schema's files for this dialect are.
	 * @return a folder on the class path, without a slash at either end
	 */
	public String schemaFolder() {
		return "io/jobqueue/schema/" + this.folder;
	}

	String fragment(String name) {
		String fragment = this.fragments.get(name);
		if (fragment == null) {
			throw new IllegalArgumentException("No fragment " + name);
		}
		return fragment;
	}

	String expand(String statement) {
		String expanded = statement;
		for (Map.Entry<String, String> fragment : this.fragments.entrySet()) {
			expanded = expanded.replace("{" + fragment.getKey() + "}", fragment.getValue());
		}
		return expanded;
	}

}
