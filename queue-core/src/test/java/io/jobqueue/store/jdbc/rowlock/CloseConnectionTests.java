package io.jobqueue.store.jdbc.rowlock;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import io.jobqueue.database.Database;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Which connections are closed by their numbers, and which are not.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(names = { "MYSQL", "MARIADB" })
class CloseConnectionTests {

	private static final Duration A_MOMENT = Duration.ofSeconds(1);

	@Parameter(0)
	private TestDatabase testDatabase;

	private TestSchema schema;

	private CloseConnection close;

	private String server;

	@BeforeEach
	void createSchema() {
		assumeTrue(this.testDatabase.isAvailable(), this.testDatabase::whyNot);
		this.schema = this.testDatabase.create();
		this.close = new CloseConnection(new Database(this.schema.dataSource()));
		this.server = new JdbcTemplate(this.schema.dataSource())
			.queryForObject("SELECT LEFT(CONCAT(@@hostname, ':', @@port), 255)", String.class);
	}

	@AfterEach
	void closeSchema() {
		if (this.schema != null) {
			this.schema.close();
		}
	}

	private static long numberOf(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
			row.next();
			return row.getLong(1);
		}
	}

	@Test
	void whatKeepsARowIsClosed() throws SQLException {
		try (Connection worker = this.schema.connect()) {
			this.close.close(numberOf(worker), this.server, A_MOMENT);
			assertThat(worker.isValid(5)).isFalse();
		}
	}

	@Test
	void aConnectionOfAnotherSchemaIsNot() throws SQLException {
		try (TestSchema other = this.testDatabase.create(); Connection stranger = other.connect()) {
			this.close.close(numberOf(stranger), this.server, A_MOMENT);
			assertThat(stranger.isValid(5)).isTrue();
		}
	}

	/** Then the number is that of another connection by now. */
	@Test
	void noneIsIfTheServerHasStartedSince() throws SQLException {
		try (Connection later = this.schema.connect()) {
			this.close.close(numberOf(later), this.server, Duration.ofDays(10_000));
			assertThat(later.isValid(5)).isTrue();
		}
	}

	/** After a failover, or behind a proxy. */
	@Test
	void noneIsOnAnotherServer() throws SQLException {
		try (Connection stranger = this.schema.connect()) {
			this.close.close(numberOf(stranger), "elsewhere:3306", A_MOMENT);
			assertThat(stranger.isValid(5)).isTrue();
		}
	}

	@Test
	void oneThatIsGoneIsNoFailure() throws SQLException {
		long number;
		try (Connection gone = this.schema.connect()) {
			number = numberOf(gone);
		}
		this.close.close(number, this.server, A_MOMENT);
		this.close.close(Long.MAX_VALUE, this.server, A_MOMENT);
	}

}
