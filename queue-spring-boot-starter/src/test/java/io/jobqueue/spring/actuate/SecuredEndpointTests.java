package io.jobqueue.spring.actuate;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import io.jobqueue.AuditLog;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint behind Spring Security, by its default chain and by that of
 * docs/operations/operating.md.
 */
class SecuredEndpointTests {

	private final HttpClient http = HttpClient.newHttpClient();

	private static ConfigurableApplicationContext start(Class<?> application) {
		return new SpringApplicationBuilder(application).web(WebApplicationType.SERVLET)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.datasource.generate-unique-name=true",
					"management.endpoints.web.exposure.include=jobqueue,health", "spring.main.banner-mode=off",
					"management.endpoint.jobqueue.access=unrestricted", "spring.security.user.name=ann",
					"spring.security.user.password=secret", "spring.security.user.roles=OPERATOR")
			.run("--spring.autoconfigure.exclude=");
	}

	private int pause(ConfigurableApplicationContext context, String password) throws Exception {
		return status(context, "/actuator/jobqueue/pause", password,
				HttpRequest.BodyPublishers.ofString("{\"queue\":\"mail\"}"), "POST");
	}

	private int get(ConfigurableApplicationContext context, String path, String password) throws Exception {
		return status(context, path, password, HttpRequest.BodyPublishers.noBody(), "GET");
	}

	private int status(ConfigurableApplicationContext context, String path, String password,
			HttpRequest.BodyPublisher body, String method) throws Exception {
		String port = context.getEnvironment().getProperty("local.server.port");
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
			.header("Content-Type", "application/json")
			.method(method, body);
		if (!password.isEmpty()) {
			request.header("Authorization", "Basic "
					+ Base64.getEncoder().encodeToString(("ann:" + password).getBytes(StandardCharsets.UTF_8)));
		}
		return this.http.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
	}

	@Test
	void theDefaultChainWantsACsrfToken() throws Exception {
		try (ConfigurableApplicationContext context = start(WithDefaultChain.class)) {
			assertThat(get(context, "/actuator/jobqueue", "secret")).isEqualTo(200);
			assertThat(pause(context, "secret")).as("refused before the password is looked at").isEqualTo(401);
		}
	}

	@Test
	void theChainOfTheDocumentsLetsOperatorsAct() throws Exception {
		try (ConfigurableApplicationContext context = start(WithOwnChains.class)) {
			assertThat(pause(context, "secret")).isEqualTo(200);
			assertThat(context.getBean(AuditLog.class).list(null, 10)).singleElement()
				.satisfies((entry) -> assertThat(entry.actor()).as("who did it").isEqualTo("ann"));
			assertThat(pause(context, "")).isEqualTo(401);
			assertThat(pause(context, "wrong")).isEqualTo(401);
			assertThat(get(context, "/actuator/jobqueue", "secret")).isEqualTo(200);
			assertThat(get(context, "/actuator/jobqueue", "")).isEqualTo(401);
			assertThat(get(context, "/actuator/health", "")).isEqualTo(200);
			assertThat(get(context, "/of-the-application", "")).as("by the other chain").isEqualTo(401);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WithDefaultChain {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WithOwnChains {

		@Bean
		@Order(1)
		SecurityFilterChain actuator(HttpSecurity http) {
			return http.securityMatcher(EndpointRequest.toAnyEndpoint())
				.authorizeHttpRequests((requests) -> requests.requestMatchers(EndpointRequest.to("health"))
					.permitAll()
					.anyRequest()
					.hasRole("OPERATOR"))
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

		@Bean
		@Order(2)
		SecurityFilterChain application(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

	}

}
