package io.jobqueue.neighbour.slice;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.assertArg;
import static org.mockito.BDDMockito.given;

/**
 * A slice without a database has no queue; a mock stands in for it.
 */
@WebMvcTest
class WebMvcSliceTests {

	@MockitoBean
	JobQueue jobs;

	@Autowired
	MockMvcTester mvc;

	@Autowired
	ApplicationContext context;

	@Test
	void aControllerIsTestedWithAMock() {
		given(this.jobs.enqueue(assertArg((NewJob job) -> assertThat(job.payload()).isEqualTo(7L)))).willReturn(42L);
		assertThat(this.mvc.post().uri("/orders").param("id", "7")).hasStatusOk().hasBodyTextEqualTo("42");
		assertThat(this.context.getBeanNamesForType(Counts.class)).isEmpty();
	}

}
