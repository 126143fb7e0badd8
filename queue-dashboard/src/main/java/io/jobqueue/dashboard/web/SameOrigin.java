package io.jobqueue.dashboard.web;

import java.net.URI;
import java.util.List;
import java.util.Locale;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;

/**
 * Tells the dashboard's own writes from those that another site makes a browser send.
 * Needs no session and no cookie: browsers say where a request comes from, and no site
 * can make them lie.
 */
final class SameOrigin {

	private static final String SITE = "Sec-Fetch-Site";

	private final List<String> allowed;

	/**
	 * Creates the check.
	 * @param allowed origins beside the application's own
	 */
	SameOrigin(List<String> allowed) {
		this.allowed = allowed.stream().map((origin) -> normal(origin)).toList();
	}

	/**
	 * Why a write is refused.
	 * @param request the write
	 * @return the reason; null if it is not
	 */
	@Nullable String refusal(HttpServletRequest request) {
		if (!isJson(request.getContentType())) {
			return "A write must be JSON: Content-Type: application/json";
		}
		String site = request.getHeader(SITE);
		if (site != null) {
			return site.equals("same-origin") ? null : "The request comes from another site (" + SITE + ")";
		}
		String origin = request.getHeader("Origin");
		if (origin == null) {
			return "The request does not say where it comes from: neither " + SITE
					+ " nor Origin is there. A program sends Origin: " + own(request);
		}
		String from = normal(origin);
		if (from.equals(own(request)) || this.allowed.contains(from)) {
			return null;
		}
		return "The request comes from '" + origin + "', but the application is at '" + own(request)
				+ "'. Behind a proxy, set server.forward-headers-strategy, or jobqueue.dashboard.allowed-origins";
	}

	/**
	 * Why a read of data is refused: an application may let other sites read what it
	 * answers, but they do not read this. Links from other sites lead to the page, which
	 * reads by itself.
	 * @param request the read
	 * @return the reason; null if it is not
	 */
	@Nullable String refusalOfRead(HttpServletRequest request) {
		String site = request.getHeader(SITE);
		String origin = request.getHeader("Origin");
		boolean isForeign = (site != null) ? site.equals("cross-site") || site.equals("same-site")
				: origin != null && !normal(origin).equals(own(request));
		boolean isAllowed = origin != null && this.allowed.contains(normal(origin));
		return (isForeign && !isAllowed) ? "The request comes from another site" : null;
	}

	private static boolean isJson(@Nullable String contentType) {
		try {
			return contentType != null && MediaType.APPLICATION_JSON.includes(MediaType.parseMediaType(contentType));
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	private static String own(HttpServletRequest request) {
		return normal(request.getScheme() + "://" + request.getServerName() + ":" + request.getServerPort());
	}

	/**
	 * An origin with its port left out where it is that of the scheme.
	 */
	private static String normal(String origin) {
		try {
			URI uri = URI.create(origin.strip().toLowerCase(Locale.ROOT));
			int port = uri.getPort();
			boolean usual = port == -1 || (port == 80 && "http".equals(uri.getScheme()))
					|| (port == 443 && "https".equals(uri.getScheme()));
			return (uri.getHost() != null) ? uri.getScheme() + "://" + uri.getHost() + (usual ? "" : ":" + port)
					: origin;
		}
		catch (IllegalArgumentException ex) {
			return origin;
		}
	}

}
