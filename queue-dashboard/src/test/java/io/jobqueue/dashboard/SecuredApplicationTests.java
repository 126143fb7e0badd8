package io.jobqueue.dashboard;

import java.net.CookieManager;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The dashboard beside Spring Security, in an application whose chain permits everything
 * to everybody.
 */
class SecuredApplicationTests {

	private static final Pattern FORM_TOKEN = Pattern.compile("name=\"_csrf\"[^>]*value=\"([^\"]+)\"");

	private static TestApplication application;

	@BeforeAll
	static void start() {
		application = TestApplication.secured(Permitting.class, "jobqueue.dashboard.view-roles=VIEWER,OPERATOR",
				"jobqueue.dashboard.actions=true", "jobqueue.dashboard.act-roles=OPERATOR",
				"jobqueue.dashboard.payloads=true");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void whoIsNotKnownIsLedToTheLoginAndBack() throws Exception {
		HttpResponse<String> page = application.get("/jobqueue/");
		assertThat(page.statusCode()).isEqualTo(302);
		assertThat(page.headers().firstValue("Location")).hasValueSatisfying((to) -> assertThat(to).endsWith("/login"));
		Browser browser = new Browser();
		browser.get("/jobqueue/");
		assertThat(browser.logIn("viewer")).contains("/jobqueue/");
	}

	@Test
	void dataAndAssetsAreNotForThem() throws Exception {
		HttpResponse<String> data = application.get("/jobqueue/api/v1/overview");
		assertThat(data.statusCode()).isEqualTo(401);
		assertThat(data.body()).contains("Log in first");
		assertThat(application.get("/jobqueue/assets/app.js").body()).doesNotContain("use strict");
		assertThat(application.get("/open").statusCode()).as("the application's own").isEqualTo(404);
	}

	@Test
	void dataIsNotForThemUnderAContextPath() throws Exception {
		try (TestApplication other = TestApplication.secured(Permitting.class, "jobqueue.dashboard.view-roles=VIEWER",
				"server.servlet.context-path=/shop", "server.forward-headers-strategy=framework")) {
			for (String[] headers : new String[][] { {}, { "X-Forwarded-Prefix", "/ops" } }) {
				HttpResponse<String> data = other.get("/jobqueue/api/v1/overview", headers);
				assertThat(data.statusCode()).isEqualTo(401);
				assertThat(data.body()).contains("{\"error\":\"Log in first\"}");
			}
		}
	}

	@Test
	void whoHasNoRoleIsRefused() throws Exception {
		Browser browser = new Browser();
		browser.get("/jobqueue/");
		browser.logIn("customer");
		assertThat(browser.get("/jobqueue/").statusCode()).isEqualTo(403);
		assertThat(browser.get("/jobqueue/api/v1/overview").statusCode()).isEqualTo(403);
		assertThat(browser.get("/jobqueue/assets/app.js").statusCode()).isEqualTo(403);
	}

	@Test
	void whoMayLookMayNotAct() throws Exception {
		Browser browser = new Browser();
		browser.get("/jobqueue/");
		browser.logIn("viewer");
		assertThat(browser.get("/jobqueue/api/v1/session").body()).contains("\"user\":\"viewer\"")
			.contains("\"mayAct\":false")
			.contains("\"maySeePayloads\":false");
		HttpResponse<String> refused = browser.act("/queues/pause", "{\"queue\":\"mail\"}");
		assertThat(refused.statusCode()).isEqualTo(403);
		assertThat(refused.body()).contains("You may look, but not act");
	}

	@Test
	void whoMayActDoesAndIsWrittenDown() throws Exception {
		Browser browser = new Browser();
		browser.get("/jobqueue/");
		browser.logIn("operator");
		assertThat(browser.act("/queues/pause", "{\"queue\":\"mail\"}").body()).contains("\"changed\":1");
		String audit = browser.get("/jobqueue/api/v1/audit").body();
		assertThat(JsonPath.<List<String>>read(audit, "$.entries[*].actor")).contains("operator");
		assertThat(JsonPath.<List<String>>read(audit, "$.entries[*].source")).contains("page");
	}

	@Test
	void aWriteWithoutTheTokenIsRefusedBySpringSecurity() throws Exception {
		Browser browser = new Browser();
		browser.get("/jobqueue/");
		browser.logIn("operator");
		HttpResponse<String> refused = browser
			.send(HttpRequest.newBuilder(application.uri("/jobqueue/api/v1/queues/pause"))
				.headers("Content-Type", "application/json", "Sec-Fetch-Site", "same-origin")
				.POST(HttpRequest.BodyPublishers.ofString("{\"queue\":\"no-token\"}")));
		assertThat(refused.statusCode()).isEqualTo(403);
		assertThat(browser.get("/jobqueue/api/v1/audit").body()).doesNotContain("no-token");
	}

	@Test
	void theApplicationsOwnChainIsTheOnlyOne() {
		assertThat(application.bean(SecurityFilterChain.class)).isNotNull();
	}

	/**
	 * Keeps cookies, and goes where it is led.
	 */
	private static final class Browser {

		private final HttpClient client = HttpClient.newBuilder()
			.cookieHandler(new CookieManager())
			.followRedirects(HttpClient.Redirect.ALWAYS)
			.build();

		HttpResponse<String> get(String path) throws Exception {
			return send(HttpRequest.newBuilder(application.uri(path)).header("Accept", "text/html"));
		}

		HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
			return this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
		}

		/** The path to which the login leads. */
		String logIn(String user) throws Exception {
			Matcher token = FORM_TOKEN.matcher(get("/login").body());
			assertThat(token.find()).isTrue();
			return send(
					HttpRequest.newBuilder(application.uri("/login"))
						.header("Content-Type", "application/x-www-form-urlencoded")
						.POST(HttpRequest.BodyPublishers
							.ofString("username=" + user + "&password=secret&_csrf=" + token.group(1))))
				.uri()
				.getPath();
		}

		HttpResponse<String> act(String path, String body) throws Exception {
			String session = get("/jobqueue/api/v1/session").body();
			return send(HttpRequest.newBuilder(application.uri("/jobqueue/api/v1" + path))
				.headers("Content-Type", "application/json", "Sec-Fetch-Site", "same-origin",
						JsonPath.read(session, "$.csrf.header"), JsonPath.read(session, "$.csrf.token"))
				.POST(HttpRequest.BodyPublishers.ofString(body)));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Permitting {

		@Bean
		SecurityFilterChain everybody(HttpSecurity http) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.formLogin(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(user("customer"), user("viewer", "VIEWER"),
					user("operator", "OPERATOR"));
		}

		private static UserDetails user(String name, String... roles) {
			return User.withUsername(name).password("{noop}secret").roles(roles).build();
		}

	}

}
