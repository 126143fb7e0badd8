package io.jobqueue.neighbour.container;

import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.testcontainers.mysql.MySQLContainer;

import org.springframework.boot.testcontainers.service.connection.ServiceConnection;

/**
 * What Testcontainers and Spring Boot do for a container, on the build's own MySQL.
 */
class ServiceConnectionTests extends AbstractContainerTests {

	private static final String IMAGE = "mysql:8.4";

	@ServiceConnection
	static MySQLContainer mysql = new BuildsMySql();

	private static TestSchema schema;

	@BeforeAll
	static void create() {
		Assumptions.assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL.whyNot());
		schema = TestDatabase.MYSQL.createEmpty();
	}

	@AfterAll
	static void drop() {
		if (schema != null) {
			schema.close();
		}
	}

	/**
	 * Has nothing to start: the server runs.
	 */
	private static final class BuildsMySql extends MySQLContainer {

		BuildsMySql() {
			super(IMAGE);
		}

		@Override
		public String getDockerImageName() {
			return IMAGE;
		}

		@Override
		public void start() {
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return true;
		}

		@Override
		public String getJdbcUrl() {
			return schema.jdbcUrl();
		}

		@Override
		public String getUsername() {
			return schema.username();
		}

		@Override
		public String getPassword() {
			return schema.password();
		}

	}

}
