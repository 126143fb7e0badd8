package io.jobqueue.dashboard.web;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which writes are the dashboard's own.
 */
class SameOriginTests {

	private final SameOrigin own = new SameOrigin(List.of("https://Jobs.example.com"));

	@ParameterizedTest
	@CsvSource({ "same-origin,", "same-origin, https://evil.example" })
	void aBrowserThatSaysSameOriginIsBelieved(String site, String origin) {
		assertThat(this.own.refusal(request("application/json", site, origin))).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "cross-site,", "same-site,", "none,", "cross-site, http://shop.example:8080", "Same-Origin," })
	void anyOtherSiteIsRefused(String site, String origin) {
		assertThat(this.own.refusal(request("application/json", site, origin))).contains("another site");
	}

	@ParameterizedTest
	@CsvSource({ "http://shop.example:8080", "HTTP://SHOP.example:8080", "https://jobs.example.com",
			"https://jobs.example.com:443" })
	void withoutThatTheOriginDecides(String origin) {
		assertThat(this.own.refusal(request("application/json; charset=UTF-8", null, origin))).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "http://shop.example", "https://shop.example:8080", "http://shop.example:8080.evil.example", "null",
			"http://evil.example", "http://jobs.example.com", "':'" })
	void anotherOriginIsRefused(String origin) {
		assertThat(this.own.refusal(request("application/json", null, origin))).contains("comes from '" + origin);
	}

	@Test
	void whoSaysNothingIsRefused() {
		assertThat(this.own.refusal(request("application/json", null, null))).contains("does not say where");
	}

	@ParameterizedTest
	@CsvSource({ "same-origin,", "none,", ",", ", http://shop.example:8080", ", https://jobs.example.com",
			"cross-site, https://jobs.example.com" })
	void ownReadsAreAnswered(String site, String origin) {
		assertThat(this.own.refusalOfRead(request(null, site, origin))).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "cross-site,", "same-site,", "cross-site, http://shop.example:8080", ", http://evil.example",
			", null" })
	void readsOfOtherSitesAreRefusedWhateverTheApplicationLetsThemRead(String site, String origin) {
		assertThat(this.own.refusalOfRead(request(null, site, origin))).contains("another site");
	}

	@ParameterizedTest
	@CsvSource({ "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "nonsense", "'*/*'" })
	void whatAFormCanSendIsRefused(String contentType) {
		assertThat(this.own.refusal(request(contentType, "same-origin", null))).contains("must be JSON");
	}

	private static MockHttpServletRequest request(String contentType, String site, String origin) {
		MockHttpServletRequest request = new MockHttpServletRequest("POST", "/jobqueue/api/v1/queues/pause");
		request.setServerName("shop.example");
		request.setServerPort(8080);
		request.setContentType(contentType);
		if (site != null) {
			request.addHeader("Sec-Fetch-Site", site);
		}
		if (origin != null) {
			request.addHeader("Origin", origin);
		}
		return request;
	}

}
