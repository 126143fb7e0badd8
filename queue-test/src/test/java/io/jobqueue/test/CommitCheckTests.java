package io.jobqueue.test;

import java.nio.file.Path;
import java.sql.SQLException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueSchedulesAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import io.jobqueue.test.docker.compose.ComposedConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.container.ContainerImageMetadata;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class CommitCheckTests {

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private final MockEnvironment environment = new MockEnvironment();

	@TempDir
	Path folder;

	private String url() {
		return "jdbc:h2:file:" + this.folder.resolve("shop");
	}

	private DataSource onDisk() {
		return new DriverManagerDataSource(url(), "sa", "");
	}

	private void check(DataSource database) {
		new CommitCheck(this.beans, this.environment).check(database);
	}

	@Test
	void aDatabaseThatMayBeSomebodysIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> check(onDisk()))
			.withMessageContaining("the jobs of the database 'SHOP'")
			.withMessageContaining("@AutoConfigureJobQueue(testDatabase = \"SHOP\")")
			.withMessageContaining("jobqueue-test.database=SHOP");
	}

	@Test
	void aDatabaseInMemoryIsThereForTests() {
		assertThatNoException()
			.isThrownBy(() -> check(new DriverManagerDataSource("jdbc:h2:mem:shop;MODE=MySQL", "sa", "")));
	}

	@Test
	void aDatabaseIsNamed() {
		this.environment.setProperty("jobqueue-test.database", "SHOP");
		assertThatNoException().isThrownBy(() -> check(onDisk()));
		this.environment.setProperty("jobqueue-test.database", "S*P");
		assertThatNoException().isThrownBy(() -> check(onDisk()));
		this.environment.setProperty("jobqueue-test.database", "SHOP_TEST");
		assertThatIllegalStateException().isThrownBy(() -> check(onDisk()))
			.withMessageContaining("(jobqueue-test.database is 'SHOP_TEST')");
	}

	private RootBeanDefinition connection(JdbcConnectionDetails details) {
		RootBeanDefinition connection = new RootBeanDefinition();
		connection.setTargetType(details.getClass());
		connection.setInstanceSupplier(() -> details);
		this.beans.registerBeanDefinition("connection", connection);
		return connection;
	}

	@Test
	void aContainerOfAServiceConnectionIsThereForTests() {
		RootBeanDefinition connection = connection(new Connection(url() + ";MODE=MySQL"));
		assertThatIllegalStateException().as("a connection of the application's own").isThrownBy(() -> check(onDisk()));
		new ContainerImageMetadata("mysql:8.4").addTo(connection);
		assertThatNoException().isThrownBy(() -> check(onDisk()));
	}

	/** The application's own DataSource does not use it. */
	@Test
	void aContainerBesideTheDatabaseSaysNothing() {
		new ContainerImageMetadata("mysql:8.4").addTo(connection(new Connection("jdbc:mysql://localhost:32768/test")));
		assertThatIllegalStateException().isThrownBy(() -> check(onDisk()));
	}

	/** It goes on running when the tests are over. */
	@Test
	void aContainerOfDockerComposeIsNotThereForTests() {
		new ContainerImageMetadata("mysql:8.4").addTo(connection(new ComposedConnection(url())));
		assertThatIllegalStateException().isThrownBy(() -> check(onDisk()));
	}

	@Test
	void aContainerOfAUrlIsThereForTests() {
		assertThatNoException().isThrownBy(() -> check(pool("jdbc:tc:mysql:8.4:///shop")));
		assertThatIllegalStateException().isThrownBy(() -> check(pool("jdbc:mysql://localhost/shop")));
		this.environment.setProperty("spring.datasource.url", "jdbc:tc:mysql:8.4:///shop");
		assertThatIllegalStateException().as("which nobody uses")
			.isThrownBy(() -> check(pool("jdbc:mysql://localhost/shop")));
	}

	/**
	 * A pool that was given an address, on a database of this test.
	 */
	private DataSource pool(String url) {
		HikariDataSource pool = new HikariDataSource() {

			@Override
			public java.sql.Connection getConnection() throws SQLException {
				return onDisk().getConnection();
			}

		};
		pool.setJdbcUrl(url);
		return pool;
	}

	/**
	 * Else it would have taken jobs before the first test.
	 */
	@Test
	void noWorkerStartsWithTheContextOnADatabaseThatMayBeSomebodys() {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JacksonAutoConfiguration.class,
					JobQueueAutoConfiguration.class, JobQueueSchedulesAutoConfiguration.class,
					JobQueueWorkerAutoConfiguration.class, JobQueueTestAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=jdbc:h2:file:" + this.folder.resolve("shop"),
					"jobqueue.auto-startup=true");
		runner.run((context) -> assertThat(context).getFailure().hasMessageContaining("the database 'SHOP'"));
		runner.withPropertyValues("jobqueue-test.database=SHOP")
			.run((context) -> assertThat(context.getBean(Worker.class).isRunning()).isTrue());
	}

	private record Connection(String jdbcUrl) implements JdbcConnectionDetails {

		@Override
		public String getJdbcUrl() {
			return this.jdbcUrl;
		}

		@Override
		public String getUsername() {
			return "sa";
		}

		@Override
		public String getPassword() {
			return "";
		}

	}

}
