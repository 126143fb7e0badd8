package io.jobqueue.spring.schema;

import io.jobqueue.JobHandler;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Wire;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A server that accepts SKIP LOCKED and waits all the same, as some proxies and
 * compatible servers do: here the wire to it leaves the words out.
 */
class SkipLockedTests {

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void aServerThatIgnoresItIsRefusedAtTheStart(TestDatabase server) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.createEmpty(); Wire wire = new Wire(schema.jdbcUrl())) {
			ApplicationContextRunner runner = new ApplicationContextRunner()
				.withPropertyValues("spring.datasource.url=" + wire.jdbcUrl(),
						"spring.datasource.username=" + schema.username(),
						"spring.datasource.password=" + schema.password())
				.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
						DataSourceTransactionManagerAutoConfiguration.class, JacksonAutoConfiguration.class,
						TransactionAutoConfiguration.class, JobQueueAutoConfiguration.class,
						JobQueueWorkerAutoConfiguration.class))
				.withBean(Sleeper.class);
			runner.run((context) -> assertThat(context).hasSingleBean(Worker.class));
			wire.omit(" SKIP LOCKED");
			runner.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoSkipLockedException.class)
				.hasMessageContaining("it waited for"));
		}
	}

	static class Sleeper {

		@JobHandler("sleep")
		void sleep() {
		}

	}

}
