package io.jobqueue.test.shop;

import java.util.UUID;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.test.JobQueueTest;
import io.jobqueue.test.JobQueueTester;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A database whose address a method of the test gives, as that of a container often is.
 */
@JobQueueTest(value = Handlers.class, properties = "jobqueue.limits.api.starts=1")
@Transactional(propagation = Propagation.NOT_SUPPORTED)
class DynamicDatabaseTests {

	private static final String URL = "jdbc:h2:file:./target/dynamic-database/" + UUID.randomUUID()
			+ "/shop;MODE=MySQL";

	@Autowired
	JobQueueTester tester;

	@Autowired
	JobQueue jobs;

	@MockitoBean
	Mailer mailer;

	@DynamicPropertySource
	static void database(DynamicPropertyRegistry properties) {
		properties.add("spring.datasource.url", () -> URL);
	}

	@AfterEach
	void clear() {
		this.tester.clear();
	}

	@Test
	void aTestMayCommit() {
		this.jobs.enqueue(NewJob.of("in-order", "first"));
		assertThat(this.tester.runDue().assertNoneFailed().count()).isEqualTo(1);
	}

}
