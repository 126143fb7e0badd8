package io.jobqueue.spring.guide;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.jobqueue.Job;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.Limit;
import io.jobqueue.Limits;
import io.jobqueue.NewJob;
import io.jobqueue.WaitReason;
import io.jobqueue.WaitReason.Kind;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The examples of {@code docs/guides/limits.md}.
 */
class LimitsGuideTests extends GuideApplication {

	private static final Markdown GUIDE = Markdown.of("docs/guides/limits.md");

	@Test
	void fiveCallsAtOnceAndWhatIsChanged() throws Exception {
		try (ConfigurableApplicationContext application = start(Partners.class, GUIDE.properties())) {
			JobQueue jobQueue = application.getBean(JobQueue.class);
			Limits limits = application.getBean(Limits.class);
			Awaitility.await().until(() -> limits.find("partner-api").isPresent());
			assertThat(limits.find("partner-api").orElseThrow().limit())
				.isEqualTo(Limit.of("partner-api").running(5).starts(50, Duration.ofSeconds(1)));
			for (int i = 0; i < 8; i++) {
				jobQueue.enqueue("call-partner", new PartnerCall(i));
			}
			for (int i = 0; i < 5; i++) {
				assertThat(next()).isInstanceOf(PartnerCall.class);
			}
			assertThat(received.poll(1, TimeUnit.SECONDS)).as("a sixth one").isNull();

			limits.save(Limit.of("partner-api").running(3).starts(50, Duration.ofSeconds(1)));
			assertThat(limits.find("partner-api").orElseThrow().changed()).isTrue();

			assertThat(GUIDE.curls()).hasSize(2);
			assertThat(curl(application, GUIDE.curls().get(0))).contains("partner-api").contains("\"changed\":true");
			limits.save(Limit.of("partner-api").running(4));
			curl(application, GUIDE.curls().get(1));
			assertThat(limits.find("partner-api").orElseThrow().limit().running()).isEqualTo(3);
			application.getBean(Partners.class).answers.countDown();
			for (int i = 5; i < 8; i++) {
				assertThat(next()).isInstanceOf(PartnerCall.class);
			}
		}
	}

	@Test
	void oneAllowanceForEachKey() throws Exception {
		try (ConfigurableApplicationContext application = start(Exports.class, "jobqueue.limits.exports.running=2")) {
			JobQueue jobQueue = application.getBean(JobQueue.class);
			Awaitility.await().until(() -> application.getBean(Limits.class).find("exports").isPresent());
			Request request = new Request("orders");
			jobQueue.enqueue(NewJob.of("export", request).limitKey("customer-8"));
			List<Long> ids = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				long id = jobQueue.enqueue(NewJob.of("export", request).limitKey("customer-7"));
				ids.add(id);
			}
			for (int i = 0; i < 3; i++) {
				assertThat(next()).isEqualTo(request);
			}
			Job third = Awaitility.await()
				.until(() -> jobQueue.find(ids.get(2)).orElseThrow(), (job) -> job.state() == JobState.WAITING);
			assertThat(third.waitingFor().orElseThrow()).isEqualTo(new WaitReason(Kind.LIMIT, "exports", null));
			application.getBean(Exports.class).answers.countDown();
			assertThat(next()).isEqualTo(request);
		}
	}

	private static void await(CountDownLatch answers) {
		try {
			answers.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("interrupted", ex);
		}
	}

	record PartnerCall(long payout) {
	}

	record Request(String table) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Partners {

		private final CountDownLatch answers = new CountDownLatch(1);

		@JobHandler(value = "call-partner", limit = "partner-api")
		void call(PartnerCall call) {
			received.add(call);
			await(this.answers);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Exports {

		private final CountDownLatch answers = new CountDownLatch(1);

		@JobHandler(value = "export", limit = "exports")
		void export(Request request) {
			received.add(request);
			await(this.answers);
		}

	}

}
