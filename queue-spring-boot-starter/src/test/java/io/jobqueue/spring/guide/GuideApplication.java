package io.jobqueue.spring.guide;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeEach;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the tests of guides have in common: an application with the endpoint, what its
 * handlers have received, and the requests that guides make by {@code curl}.
 */
abstract class GuideApplication {

	private static final Pattern CURL = Pattern.compile("curl (?:-X (?<method>\\w+) )?localhost:8080(?<path>/\\S+)"
			+ "(?: -H 'Content-Type: (?<type>[^']+)' -d '(?<body>[^']+)')?");

	static final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

	@BeforeEach
	void clear() {
		received.clear();
	}

	static Object next() throws InterruptedException {
		return received.poll(30, TimeUnit.SECONDS);
	}

	static ConfigurableApplicationContext start(Class<?> handlers, String... properties) {
		return new SpringApplicationBuilder(AutoConfigured.class, handlers).web(WebApplicationType.SERVLET)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.datasource.generate-unique-name=true",
					"management.endpoints.web.exposure.include=jobqueue", "spring.main.banner-mode=off",
					"management.endpoint.jobqueue.access=unrestricted", "jobqueue.worker.poll-interval=100ms")
			.properties(properties)
			.run();
	}

	/**
	 * Makes the request of a line of a guide.
	 * @return the answer's body; its status was 200
	 */
	static String curl(ConfigurableApplicationContext application, String line) throws Exception {
		Matcher curl = CURL.matcher(line);
		assertThat(curl.matches()).as(line).isTrue();
		String port = application.getEnvironment().getProperty("local.server.port");
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:" + port + curl.group("path")));
		if (curl.group("body") != null) {
			request.header("Content-Type", curl.group("type"))
				.method(curl.group("method"), HttpRequest.BodyPublishers.ofString(curl.group("body")));
		}
		HttpResponse<String> answer = HttpClient.newHttpClient()
			.send(request.build(), HttpResponse.BodyHandlers.ofString());
		assertThat(answer.statusCode()).as(line).isEqualTo(200);
		return answer.body();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class AutoConfigured {

	}

}
