package io.jobqueue.spring.autoconfigure;

import io.jobqueue.JobQueue;
import io.jobqueue.node.Worker;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * An application's own test that replaces the queue by a mock, after all conditions were
 * evaluated.
 */
@SpringBootTest(properties = "spring.datasource.generate-unique-name=true",
		webEnvironment = SpringBootTest.WebEnvironment.NONE)
class MockedJobQueueTests {

	@MockitoBean
	private JobQueue queue;

	@Test
	void theContextStartsWithAMock(@Autowired Worker worker) {
		given(this.queue.enqueue("any", "payload")).willReturn(42L);
		assertThat(this.queue.enqueue("any", "payload")).isEqualTo(42L);
		assertThat(worker.isRunning()).isTrue();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
