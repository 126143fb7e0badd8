package io.jobqueue.dashboard.web;

import java.security.Principal;
import java.util.function.Function;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

/**
 * Who asks, and what they may do.
 *
 * @param user their name; null if nobody is logged in
 * @param mayAct whether they may act
 * @param maySeePayloads whether they may see payloads
 * @param csrf what Spring Security wants to see in each write; null for nothing
 */
record SessionView(@Nullable String user, boolean mayAct, boolean maySeePayloads, @Nullable Csrf csrf) {

	private static final boolean SECURITY = ClassUtils.isPresent("org.springframework.security.web.csrf.CsrfToken",
			SessionView.class.getClassLoader());

	static Function<HttpServletRequest, Object> of(Access access) {
		return (request) -> {
			Principal user = request.getUserPrincipal();
			return new SessionView((user != null) ? user.getName() : null, access.mayAct(request),
					access.maySeePayloads(request), SECURITY ? Csrf.of(request) : null);
		};
	}

	/**
	 * A header and what it is to say.
	 */
	record Csrf(String header, String token) {

		static @Nullable Csrf of(HttpServletRequest request) {
			return (request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token)
					? new Csrf(token.getHeaderName(), token.getToken()) : null;
		}

	}

}
