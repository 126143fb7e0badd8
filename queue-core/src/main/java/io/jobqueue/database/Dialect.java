package io.jobqueue.database;

import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * What differs between the databases, as named fragments that stand in braces in the
 * statements.
 */
public enum Dialect {

	/** MySQL 8.0.20+. */
	MYSQL("mysql", Syntax.MYSQL, "DELETE /*+ INDEX(%1$s PRIMARY) */ FROM %1$s", "FOR SHARE",
			EnumSet.complementOf(EnumSet.of(Capability.RETURN_ALL_IDS))),

	/** MariaDB 10.6+: as MySQL, but it knows neither hints in comments nor FOR SHARE. */
	MARIADB("mysql", Syntax.MYSQL, "DELETE %1$s FROM %1$s FORCE INDEX (PRIMARY)", "LOCK IN SHARE MODE",
			EnumSet.complementOf(EnumSet.of(Capability.RETURN_ALL_IDS, Capability.TABLE_STATISTICS_EXPIRE))),

	/** H2 2.x, as Spring Boot configures it and in MySQL mode. */
	H2("h2", Syntax.H2, "DELETE FROM %1$s", "FOR UPDATE", EnumSet.of(Capability.RETURN_ALL_IDS));

	private static final Pattern DELETE = Pattern.compile("\\{delete (\\w+)\\}");

	private static final Pattern AFTER_NOW = Pattern.compile("\\{now \\+ (\\S+) (\\w+)\\}");

	private static final DateTimeFormatter LITERAL = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSS");

	private static final Pattern READABLE = Pattern.compile("\\{readable ([\\w.]+)\\}");

	private static final Pattern UNREADABLE = Pattern.compile("\\{unreadable ([\\w.]+)\\}");

	/**
	 * A session may insert days that do not exist, as zero dates and the 30th of
	 * February, which no driver reads and no strict session writes again.
	 */
	private static final String NO_DAY = "($1 < '0001-01-01' OR MONTH($1) = 0 OR (DAYOFMONTH($1) NOT BETWEEN 1 AND 28 "
			+ "AND (DAYOFMONTH($1) = 0 OR DAYOFMONTH($1) > DAYOFMONTH(LAST_DAY($1)))))";

	private final String folder;

	private final Map<String, String> fragments;

	/**
	 * How to delete by primary key such that no other row is looked at, let alone waited
	 * for. Left to itself, an optimizer reads all of a table of which it is to delete
	 * half; and MySQL does so in a multi-table DELETE even under FORCE INDEX.
	 */
	private final String delete;

	/** How to lock rows together with others; H2 cannot. */
	private final String lockShared;

	private final Set<Capability> capabilities;

	Dialect(String folder, Map<String, String> fragments, String delete, String lockShared,
			Set<Capability> capabilities) {
		this.folder = folder;
		this.fragments = fragments;
		this.delete = delete;
		this.lockShared = lockShared;
		this.capabilities = capabilities;
	}

	/**
	 * Finds the dialect of a database.
	 * @param dataSource the database
	 * @return its dialect
	 * @throws UnsupportedDatabaseException if it is none that is supported; the message
	 * names it
	 * @throws org.springframework.jdbc.CannotGetJdbcConnectionException if it cannot be
	 * reached
	 */
	public static Dialect of(DataSource dataSource) {
		try {
			String product = JdbcUtils.extractDatabaseMetaData(dataSource,
					(metaData) -> metaData.getDatabaseProductName() + " " + metaData.getDatabaseProductVersion());
			if (product.contains("MariaDB")) {
				// By MySQL's driver it is a MySQL whose version says MariaDB.
				return MARIADB;
			}
			if (product.startsWith("MySQL")) {
				return MYSQL;
			}
			if (product.startsWith("H2")) {
				return H2;
			}
			throw new UnsupportedDatabaseException(
					"The job queue works on MySQL, MariaDB and H2, but its DataSource is " + product);
		}
		catch (MetaDataAccessException ex) {
			if (ex.getCause() instanceof CannotGetJdbcConnectionException cause) {
				throw cause;
			}
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

	boolean can(Capability capability) {
		return this.capabilities.contains(capability);
	}

	/**
	 * A name of a queue or type as all of its jobs have it. The database takes names for
	 * the same that differ in blanks at their ends, such as another program may have
	 * written, and shows any of them for a group.
	 * @param stored the name as it was read
	 * @return the name, to be compared with others in Java
	 */
	public String name(String stored) {
		int end = stored.length();
		while (end > 0 && stored.charAt(end - 1) == ' ' && can(Capability.IGNORE_TRAILING_BLANKS)) {
			end--;
		}
		return stored.substring(0, end);
	}

	/**
	 * Whether the server commits by itself. A driver may take for granted what the
	 * server's or the URL's settings have changed (useLocalSessionState with
	 * autocommit=0).
	 */
	boolean isAutoCommitOfServer(JdbcTemplate sql) {
		if (!can(Capability.AUTOCOMMIT_OF_SERVER)) {
			return true;
		}
		Integer value = sql.queryForObject("SELECT @@autocommit", Integer.class);
		return value != null && value == 1;
	}

	/**
	 * Completes a statement.
	 * @param statement the statement, with fragments in braces
	 * @param clock the clock, which only tests set
	 * @return the statement as the database reads it
	 */
	String expand(String statement, TestClock clock) {
		String expanded = AFTER_NOW.matcher(statement.replace("{lockShared}", this.lockShared))
			.replaceAll((this == H2) ? "TIMESTAMPADD($2, $1, {now})" : "{now} + INTERVAL $1 $2");
		if (!clock.isOfDatabase()) {
			expanded = expanded.replace("{now}", now(clock));
		}
		for (Map.Entry<String, String> states : Syntax.STATES.entrySet()) {
			expanded = expanded.replace("{" + states.getKey() + "}", states.getValue());
		}
		for (Map.Entry<String, String> fragment : this.fragments.entrySet()) {
			expanded = expanded.replace("{" + fragment.getKey() + "}", fragment.getValue());
		}
		expanded = DELETE.matcher(expanded).replaceAll((match) -> this.delete.formatted(match.group(1)));
		expanded = READABLE.matcher(expanded)
			.replaceAll((this == H2) ? "$1" : "CASE WHEN " + NO_DAY + " THEN '1970-01-01 00:00:00' ELSE $1 END");
		return UNREADABLE.matcher(expanded).replaceAll((this == H2) ? "(1 = 0)" : NO_DAY);
	}

	private String now(TestClock clock) {
		LocalDateTime fixed = clock.fixed();
		if (fixed != null) {
			return "TIMESTAMP '" + fixed.format(LITERAL) + "'";
		}
		return (this == H2) ? "TIMESTAMPADD(MICROSECOND, " + clock.aheadMicros() + ", {now})"
				: "({now} + INTERVAL " + clock.aheadMicros() + " MICROSECOND)";
	}

}
