package io.jobqueue.dashboard.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.util.DigestUtils;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The page and what belongs to it. They stand outside the folders that Spring Boot serves
 * by itself. Browsers ask each time whether theirs is still the same, so that nobody sees
 * an old page after an upgrade.
 */
final class Assets {

	private static final Map<String, MediaType> TYPES = Map.of("index.html",
			MediaType.valueOf("text/html;charset=UTF-8"), "app.js", MediaType.valueOf("text/javascript;charset=UTF-8"),
			"app.css", MediaType.valueOf("text/css;charset=UTF-8"), "icon.svg", MediaType.valueOf("image/svg+xml"));

	private static final String FOLDER = "/io/jobqueue/dashboard/assets/";

	/**
	 * Answers with one of them.
	 */
	ServerResponse serve(ServerRequest request, String name) {
		MediaType type = TYPES.get(name);
		if (type == null) {
			return ServerResponse.notFound().build();
		}
		byte[] content = read(name);
		String tag = "\"" + DigestUtils.md5DigestAsHex(content) + "\"";
		return request.checkNotModified(tag)
			.orElseGet(() -> ServerResponse.ok()
				.contentType(type)
				.cacheControl(CacheControl.noCache().cachePrivate())
				.eTag(tag)
				.body(content));
	}

	private static byte[] read(String name) {
		try (InputStream in = Assets.class.getResourceAsStream(FOLDER + name)) {
			if (in == null) {
				throw new IllegalStateException("The dashboard's jar has no " + name);
			}
			return in.readAllBytes();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
