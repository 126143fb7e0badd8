package io.jobqueue.dashboard.web;

import java.util.List;

import io.jobqueue.dashboard.DashboardProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A site of the internet may give its own name the address of this machine. Where nobody
 * has to log in, its script could then read what is here.
 */
class KnownHostTests {

	@ParameterizedTest
	@ValueSource(strings = { "localhost", "127.0.0.1", "10.1.2.3", "[::1]", "::1", "shop", "SHOP", "app.localhost",
			"queue.prod.internal", "jobs.example.com", "JOBS.example.com" })
	void whatNoStrangerCanHaveChosenIsAnswered(String host) {
		assertThat(isKnown(host, "jobqueue.dashboard.open=true",
				"jobqueue.dashboard.allowed-origins=https://jobs.example.com"))
			.isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
			"internal.evil.example", "jobs.example.com.evil.example" })
	void anyOtherNameIsNot(String host) {
		assertThat(isKnown(host, "jobqueue.dashboard.open=true",
				"jobqueue.dashboard.allowed-origins=https://jobs.example.com"))
			.isFalse();
	}

	@Test
	void whereALoginIsNeededEachNameIsAnswered() {
		assertThat(isKnown("evil.example", "jobqueue.dashboard.view-roles=ADMIN")).isTrue();
	}

	private static boolean isKnown(String host, String... settings) {
		MapConfigurationPropertySource source = new MapConfigurationPropertySource();
		List.of(settings).forEach((setting) -> source.put(setting.split("=")[0], setting.split("=")[1]));
		DashboardProperties properties = new Binder(source).bindOrCreate("jobqueue.dashboard",
				DashboardProperties.class);
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/jobqueue/");
		request.setServerName(host);
		return new Access(properties).isKnownHost(request);
	}

}
