package io.jobqueue.dashboard.web;

import java.io.IOException;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.MultiValueMap;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * An answer with the headers that each answer of the dashboard has: nothing but its own
 * script runs in the page, nobody puts it into a frame, and nobody keeps what it shows.
 */
record GuardedResponse(ServerResponse answer) implements ServerResponse {

	/** The charts' library sets styles through the DOM, which needs no leave. */
	private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
			+ "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

	@Override
	public HttpStatusCode statusCode() {
		return this.answer.statusCode();
	}

	@Override
	public HttpHeaders headers() {
		return this.answer.headers();
	}

	@Override
	public MultiValueMap<String, Cookie> cookies() {
		return this.answer.cookies();
	}

	@Override
	public @Nullable ModelAndView writeTo(HttpServletRequest request, HttpServletResponse response, Context context)
			throws ServletException, IOException {
		response.setHeader("Content-Security-Policy", POLICY);
		response.setHeader("X-Content-Type-Options", "nosniff");
		response.setHeader("X-Frame-Options", "DENY");
		response.setHeader("Referrer-Policy", "no-referrer");
		if (headers().getCacheControl() == null) {
			response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
		}
		return this.answer.writeTo(request, response, context);
	}

}
