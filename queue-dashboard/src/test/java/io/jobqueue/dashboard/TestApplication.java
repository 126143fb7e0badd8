package io.jobqueue.dashboard;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import com.jayway.jsonpath.JsonPath;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * An application with the dashboard, on a port of its own, and somebody who asks it.
 */
public final class TestApplication implements AutoCloseable {

	private static final String WITHOUT_SECURITY = "spring.autoconfigure.exclude="
			+ "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration";

	private final ConfigurableApplicationContext context;

	private final HttpClient client = HttpClient.newHttpClient();

	private TestApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	static TestApplication secured(Class<?> configuration, String... properties) {
		return new TestApplication(new SpringApplicationBuilder(AutoConfigured.class, configuration)
			.web(WebApplicationType.SERVLET)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.datasource.generate-unique-name=true",
					"spring.main.banner-mode=off", "jobqueue.worker.poll-interval=50ms", "jobqueue.sample-interval=1s")
			.properties(properties)
			.run());
	}

	static TestApplication of(Class<?> configuration, String... properties) {
		List<String> all = new ArrayList<>(Arrays.asList(properties));
		all.add(WITHOUT_SECURITY);
		return secured(configuration, all.toArray(String[]::new));
	}

	/** Open, and everybody may act and see payloads. */
	static TestApplication open(Class<?> configuration, String... properties) {
		List<String> all = new ArrayList<>(Arrays.asList(properties));
		all.addAll(List.of("jobqueue.dashboard.open=true", "jobqueue.dashboard.actions=true",
				"jobqueue.dashboard.payloads=true"));
		return of(configuration, all.toArray(String[]::new));
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	URI uri(String path) {
		String contextPath = this.context.getEnvironment().getProperty("server.servlet.context-path", "");
		return URI.create("http://127.0.0.1:" + this.context.getEnvironment().getProperty("local.server.port")
				+ contextPath + path);
	}

	HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
		return send((headers.length > 0) ? request.headers(headers) : request);
	}

	/** Reads something of the data, which must be there. */
	<T> T read(String path, String json) throws IOException, InterruptedException {
		HttpResponse<String> answer = get("/jobqueue/api/v1" + path);
		if (answer.statusCode() != 200) {
			throw new AssertionError(path + " is answered by " + answer.statusCode() + ": " + answer.body());
		}
		return JsonPath.read(answer.body(), json);
	}

	/** As the page does it, in a browser. */
	HttpResponse<String> act(String path, String body) throws IOException, InterruptedException {
		return post(path, body, "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin");
	}

	HttpResponse<String> post(String path, String body, String... headers) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(uri("/jobqueue/api/v1" + path))
			.headers(headers)
			.POST(HttpRequest.BodyPublishers.ofString(body)));
	}

	HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	@Override
	public void close() {
		this.context.close();
	}

	/** An application that has nothing of its own. */
	@Configuration(proxyBeanMethods = false)
	static class Nothing {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class AutoConfigured {

	}

}
