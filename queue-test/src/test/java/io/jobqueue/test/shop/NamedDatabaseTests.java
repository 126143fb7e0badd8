package io.jobqueue.test.shop;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.test.AutoConfigureJobQueue;
import io.jobqueue.test.JobQueueTest;
import io.jobqueue.test.JobQueueTester;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A database that outlives the test, and is there for tests alone.
 */
@JobQueueTest(value = Handlers.class,
		properties = { "jobqueue.limits.api.starts=1",
				"spring.datasource.url=jdbc:h2:file:./target/named-database/${random.uuid}/shop_test" })
@AutoConfigureJobQueue(testDatabase = "SHOP_*")
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
@Transactional(propagation = Propagation.NOT_SUPPORTED)
class NamedDatabaseTests {

	@Autowired
	JobQueueTester tester;

	@Autowired
	JobQueue jobs;

	@MockitoBean
	Mailer mailer;

	@AfterEach
	void clear() {
		this.tester.clear();
	}

	@Test
	void aTestMayCommit() {
		this.jobs.enqueue(NewJob.of("in-order", "first"));
		assertThat(this.tester.runDue().assertNoneFailed().of("in-order").count()).isEqualTo(1);
	}

}
