package io.jobqueue.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A reverse proxy that gives each request to the next node, and has all of them under a
 * prefix of its own.
 */
final class RoundRobin implements AutoCloseable {

	private static final Set<String> PASSED = Set.of("content-type", "cache-control", "content-security-policy", "etag",
			"location", "x-content-type-options");

	private final HttpClient client = HttpClient.newHttpClient();

	private final ExecutorService threads = Executors.newFixedThreadPool(4);

	private final HttpServer server;

	private final String prefix;

	private final List<Node> nodes;

	private final AtomicInteger next = new AtomicInteger();

	RoundRobin(String prefix, Node... nodes) throws IOException {
		this.prefix = prefix;
		this.nodes = List.of(nodes);
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setExecutor(this.threads);
		this.server.createContext(prefix + "/", this::pass);
		this.server.start();
	}

	URI uri(String path) {
		return URI.create(origin() + this.prefix + path);
	}

	private String origin() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort();
	}

	private void pass(HttpExchange exchange) throws IOException {
		try (exchange) {
			Node node = this.nodes.get(this.next.getAndIncrement() % this.nodes.size());
			String path = exchange.getRequestURI().toString().substring(this.prefix.length());
			HttpRequest.Builder request = HttpRequest.newBuilder(node.application().uri(path))
				.header("X-Forwarded-Prefix", this.prefix)
				.header("X-Forwarded-Host", "127.0.0.1:" + this.server.getAddress().getPort())
				.header("X-Forwarded-Proto", "http")
				.method(exchange.getRequestMethod(),
						HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
			for (String name : List.of("Content-Type", "Origin", "Sec-Fetch-Site", "Accept", "If-None-Match")) {
				exchange.getRequestHeaders()
					.getOrDefault(name, List.of())
					.forEach((value) -> request.header(name, value));
			}
			HttpResponse<byte[]> answer = this.client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
			answer.headers().map().forEach((name, values) -> {
				if (PASSED.contains(name)) {
					values.forEach((value) -> exchange.getResponseHeaders().add(name, value));
				}
			});
			Answer changed = node.version().of(path, new Answer(answer.statusCode(), answer.body()));
			exchange.sendResponseHeaders(changed.status(), (changed.body().length > 0) ? changed.body().length : -1);
			exchange.getResponseBody().write(changed.body());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException ex) {
			throw new UncheckedIOException(new IOException(ex));
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/**
	 * One of the nodes.
	 *
	 * @param application the application
	 * @param version what its version makes of the answers
	 */
	record Node(TestApplication application, Version version) {

	}

	/**
	 * What another version of the dashboard answers in place of this one.
	 */
	@FunctionalInterface
	interface Version {

		Version THIS = (path, answer) -> answer;

		Answer of(String path, Answer answer);

	}

	record Answer(int status, byte[] body) {

		String text() {
			return new String(this.body, StandardCharsets.UTF_8);
		}

	}

}
