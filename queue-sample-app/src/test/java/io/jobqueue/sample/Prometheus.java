package io.jobqueue.sample;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real Prometheus, from the {@code PATH}, that scrapes an application each second.
 */
final class Prometheus implements AutoCloseable {

	private static final JsonMapper mapper = JsonMapper.builder().build();

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final HttpClient client = HttpClient.newHttpClient();

	private final Process process;

	private final URI address;

	/**
	 * Starts it, and waits until it answers.
	 * @param directory where it keeps what it scrapes
	 * @param rules the file of alert rules
	 * @param port where the application is, on this machine
	 */
	Prometheus(Path directory, Path rules, int port) throws IOException {
		int own = freePort();
		Path settings = Files.writeString(directory.resolve("prometheus.yml"), """
				global:
				  scrape_interval: 1s
				  evaluation_interval: 1s
				rule_files: ["%s"]
				scrape_configs:
				  - job_name: shop
				    metrics_path: /actuator/prometheus
				    static_configs:
				      - targets: ["127.0.0.1:%d"]
				""".formatted(rules.toAbsolutePath(), port));
		this.address = URI.create("http://127.0.0.1:" + own);
		Path output = directory.resolve("output");
		this.process = new ProcessBuilder("prometheus", "--config.file=" + settings,
				"--storage.tsdb.path=" + directory.resolve("data"), "--web.listen-address=127.0.0.1:" + own)
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> status("/-/ready") == 200);
		}
		catch (RuntimeException ex) {
			close();
			throw new IllegalStateException(Files.readString(output), ex);
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	static boolean isAvailable() {
		return Stream.of("prometheus", "promtool").allMatch(Prometheus::isOnThePath);
	}

	private static boolean isOnThePath(String program) {
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
			.anyMatch((folder) -> Files.isExecutable(Path.of(folder, program)));
	}

	static String whyNot() {
		return "!!!! no prometheus and promtool on the PATH: neither rules nor the dashboard's queries are tried; "
				+ "put what .ci/prometheus prints on it";
	}

	/**
	 * Runs {@code promtool}, and fails if it finds something.
	 */
	static void check(Path directory, String... arguments) throws IOException, InterruptedException {
		Path output = directory.resolve("promtool");
		Process tool = new ProcessBuilder(Stream.concat(Stream.of("promtool"), Stream.of(arguments)).toList())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		assertThat(tool.waitFor(60, TimeUnit.SECONDS)).isTrue();
		assertThat(tool.exitValue()).as(Files.readString(output)).isZero();
	}

	/**
	 * Evaluates an expression at this moment.
	 * @return what it gives, a value for each set of labels
	 */
	List<JsonNode> query(String expression) {
		JsonNode answer = get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
		assertThat(answer.path("status").asString()).as("%s: %s", expression, answer).isEqualTo("success");
		return List.copyOf(answer.path("data").path("result").values());
	}

	/**
	 * How the rules do.
	 * @return health and last error by the name of the rule
	 */
	Map<String, String> rules() {
		Map<String, String> health = new TreeMap<>();
		for (JsonNode group : get("/api/v1/rules").path("data").path("groups").values()) {
			for (JsonNode rule : group.path("rules").values()) {
				health.put(rule.path("name").asString(),
						rule.path("health").asString() + rule.path("lastError").asString(""));
			}
		}
		return health;
	}

	private int status(String path) throws IOException, InterruptedException {
		return this.client
			.send(HttpRequest.newBuilder(this.address.resolve(path)).build(), HttpResponse.BodyHandlers.discarding())
			.statusCode();
	}

	private JsonNode get(String path) {
		try {
			return mapper.readTree(this.client
				.send(HttpRequest.newBuilder(this.address.resolve(path)).build(), HttpResponse.BodyHandlers.ofString())
				.body());
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
		this.process.destroy();
		try {
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				this.process.destroyForcibly().waitFor();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
