package io.jobqueue.test.shop;

import io.jobqueue.test.JobQueueTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the slice has without being told: handlers, and not the rest.
 */
@JobQueueTest(properties = "jobqueue.limits.api.starts=1")
class SliceTests {

	@Autowired
	ApplicationContext context;

	@MockitoBean
	Mailer mailer;

	@Test
	void theSliceHasHandlersOnly() {
		assertThat(this.context.getBeanNamesForType(Handlers.class)).hasSize(1);
		assertThat(this.context.getBeanNamesForType(Stock.class)).isEmpty();
		assertThat(this.context.getEnvironment().getProperty("jobqueue.auto-startup")).isEqualTo("false");
	}

}
