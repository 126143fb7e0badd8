package io.jobqueue.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A shop on a database and ports of its own, spoken to by HTTP as users do.
 */
final class RunningShop implements AutoCloseable {

	private static final JsonMapper mapper = JsonMapper.builder().build();

	private final HttpClient client = HttpClient.newHttpClient();

	private final TestSchema schema;

	private final ConfigurableApplicationContext context;

	private final URI address;

	RunningShop(TestDatabase database, String... more) {
		this.schema = database.createEmpty();
		List<String> settings = new ArrayList<>(List.of("--spring.datasource.url=" + this.schema.jdbcUrl(),
				"--spring.datasource.username=" + this.schema.username(),
				"--spring.datasource.password=" + this.schema.password(), "--server.port=0", "--shop.review-delay=1s"));
		settings.addAll(List.of(more));
		if (settings.stream().noneMatch((setting) -> setting.startsWith("--shop.smtp.port"))) {
			settings.add("--shop.smtp.port=0");
		}
		this.context = new SpringApplicationBuilder(ShopApplication.class).run(settings.toArray(String[]::new));
		this.address = URI
			.create("http://127.0.0.1:" + this.context.getEnvironment().getRequiredProperty("local.server.port"));
	}

	int port() {
		return this.address.getPort();
	}

	/**
	 * Gets a path, or an address that the shop gave.
	 */
	Answer get(String path) {
		return send(HttpRequest.newBuilder(this.address.resolve(path)));
	}

	Answer postJson(String path, String body) {
		return post(path, "application/json", body);
	}

	Answer postCsv(String body) {
		return post("/orders/import", "text/csv", body);
	}

	Answer post(String path, String contentType, String body) {
		return send(HttpRequest.newBuilder(this.address.resolve(path))
			.header("Content-Type", contentType)
			.POST(HttpRequest.BodyPublishers.ofString(body)));
	}

	private Answer send(HttpRequest.Builder request) {
		try {
			HttpResponse<String> response = this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
			return new Answer(response.statusCode(), response.headers().firstValue("Location").orElse(""),
					mapper.readTree(response.body()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.context.close();
		this.schema.close();
	}

	/**
	 * What the shop answered.
	 */
	record Answer(int status, String location, JsonNode body) {

		JsonNode at(String field) {
			return this.body.path(field);
		}

		long number(String field) {
			return at(field).asLong();
		}

		String text(String field) {
			return at(field).asString();
		}

	}

}
