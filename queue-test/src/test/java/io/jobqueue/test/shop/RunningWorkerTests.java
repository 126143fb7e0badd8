package io.jobqueue.test.shop;

import java.time.Duration;
import java.time.Instant;

import io.jobqueue.node.Worker;
import io.jobqueue.test.AutoConfigureJobQueue;
import io.jobqueue.test.JobQueueTester;
import org.junit.jupiter.api.RepeatedTest;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tester where the application's own worker runs during all tests.
 */
@SpringBootTest(properties = { "spring.sql.init.mode=always", "jobqueue.limits.api.starts=1",
		"spring.datasource.generate-unique-name=true" })
@AutoConfigureJobQueue(startWorker = true)
class RunningWorkerTests {

	@Autowired
	JobQueueTester tester;

	@Autowired
	Worker worker;

	@MockitoBean
	Mailer mailer;

	@RepeatedTest(2)
	void eachTestBeginsAtThePresentForItsThreadsToo() throws Exception {
		assertThat(this.worker.isRunning()).isTrue();
		Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
		assertThat(this.tester.now()).isBefore(tomorrow);
		assertThat(WholeApplicationTests.onThreadOfItsOwn(this.tester::now)).isBefore(tomorrow);
		this.tester.advance(Duration.ofDays(7));
		assertThat(WholeApplicationTests.onThreadOfItsOwn(this.tester::now)).isAfter(tomorrow);
	}

}
