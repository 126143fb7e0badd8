package io.jobqueue.spring.worker;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How worker and web server stop together.
 */
class ShutdownTests {

	@Test
	void attemptsAndRequestsHaveTheirGraceAtTheSameTime() throws Exception {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.SERVLET)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.datasource.generate-unique-name=true",
					"spring.main.banner-mode=off")
			.run();
		Application application = context.getBean(Application.class);
		URI slow = uri(context, "/slow");
		URI quick = uri(context, "/quick");
		context.getBean(JobQueue.class).enqueue("slow");
		assertThat(application.jobStarted.await(30, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Integer> request = CompletableFuture.supplyAsync(() -> status(slow));
		assertThat(application.requestStarted.await(30, TimeUnit.SECONDS)).isTrue();

		Thread stop = new Thread(context::close);
		stop.start();
		Awaitility.await("no new request while attempts have their grace")
			.atMost(15, TimeUnit.SECONDS)
			.until(() -> status(quick) == 0);
		assertThat(request).as("the request has its grace").isNotDone();
		assertThat(application.jobEnded).as("the attempt has its grace").isFalse();

		application.requestMayEnd.countDown();
		assertThat(request.get(30, TimeUnit.SECONDS)).isEqualTo(200);
		assertThat(application.jobEnded).isFalse();
		application.jobMayEnd.countDown();
		stop.join(TimeUnit.SECONDS.toMillis(60));
		assertThat(stop.isAlive()).isFalse();
		assertThat(application.jobEnded).as("it was not interrupted").isTrue();
	}

	private static URI uri(ConfigurableApplicationContext context, String path) {
		return URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + path);
	}

	/** Zero if the server does not take it. */
	private static int status(URI uri) {
		try {
			return HttpClient.newHttpClient()
				.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
				.statusCode();
		}
		catch (IOException ex) {
			return 0;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class Application {

		final CountDownLatch jobStarted = new CountDownLatch(1);

		final CountDownLatch jobMayEnd = new CountDownLatch(1);

		final CountDownLatch requestStarted = new CountDownLatch(1);

		final CountDownLatch requestMayEnd = new CountDownLatch(1);

		volatile boolean jobEnded;

		@JobHandler("slow")
		void slow() throws InterruptedException {
			this.jobStarted.countDown();
			this.jobMayEnd.await();
			this.jobEnded = true;
		}

		@GetMapping("/slow")
		String slowly() throws InterruptedException {
			this.requestStarted.countDown();
			this.requestMayEnd.await();
			return "done";
		}

		@GetMapping("/quick")
		String quickly() {
			return "done";
		}

	}

}
