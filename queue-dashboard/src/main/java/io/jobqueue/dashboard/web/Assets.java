package io.jobqueue.dashboard.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
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

	private final Map<String, Asset> assets = new ConcurrentHashMap<>();

	/**
	 * Answers with one of them.
	 */
	ServerResponse serve(ServerRequest request, String name) {
		MediaType type = TYPES.get(name);
		if (type == null) {
			return ServerResponse.notFound().build();
		}
		Asset asset = this.assets.computeIfAbsent(name, Asset::read);
		boolean isKnown = request.checkNotModified(asset.tag()).isPresent();
		ServerResponse.BodyBuilder answer = ServerResponse.status(isKnown ? HttpStatus.NOT_MODIFIED : HttpStatus.OK)
			.cacheControl(CacheControl.noCache().cachePrivate())
			.eTag(asset.tag());
		return isKnown ? answer.build() : answer.contentType(type).body(asset.content());
	}

	/**
	 * One of them.
	 *
	 * @param content what it is
	 * @param tag changes with it
	 */
	private record Asset(byte[] content, String tag) {

		static Asset read(String name) {
			try (InputStream in = Assets.class.getResourceAsStream(FOLDER + name)) {
				if (in == null) {
					throw new IllegalStateException("The dashboard's jar has no " + name);
				}
				byte[] content = in.readAllBytes();
				String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
				return new Asset(content, "\"" + digest + "\"");
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			catch (NoSuchAlgorithmException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
