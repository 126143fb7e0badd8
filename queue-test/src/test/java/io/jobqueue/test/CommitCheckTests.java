package io.jobqueue.test;

import java.nio.file.Path;

import javax.sql.DataSource;

import io.jobqueue.node.Worker;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueSchedulesAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.support.BeanDefinitionBuilder;
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

	private DataSource onDisk() {
		return new DriverManagerDataSource("jdbc:h2:file:" + this.folder.resolve("shop"), "sa", "");
	}

	private void check(DataSource database) {
		if (!this.beans.containsBean("dataSource")) {
			this.beans.registerSingleton("dataSource", database);
		}
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

	@Test
	void aContainerOfAServiceConnectionIsThereForTests() {
		RootBeanDefinition connection = new RootBeanDefinition(JdbcConnectionDetails.class);
		this.beans.registerBeanDefinition("connection", connection);
		assertThatIllegalStateException().as("a connection of the application's own").isThrownBy(() -> check(onDisk()));
		new ContainerImageMetadata("mysql:8.4").addTo(connection);
		assertThatNoException().isThrownBy(() -> check(onDisk()));
	}

	@Test
	void aContainerOfAUrlIsThereForTests() {
		this.environment.setProperty("spring.datasource.url", "jdbc:mysql://localhost/shop");
		assertThatIllegalStateException().isThrownBy(() -> check(onDisk()));
		this.environment.setProperty("spring.datasource.url", "jdbc:tc:mysql:8.4:///shop");
		assertThatNoException().isThrownBy(() -> check(onDisk()));
	}

	@Test
	void ofSeveralDatabasesNoneIsTakenForThatOfAContainer() {
		this.environment.setProperty("spring.datasource.url", "jdbc:tc:mysql:8.4:///shop");
		this.beans.registerBeanDefinition("second",
				BeanDefinitionBuilder.genericBeanDefinition(DataSource.class).getBeanDefinition());
		assertThatIllegalStateException().isThrownBy(() -> check(onDisk()));
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

}
