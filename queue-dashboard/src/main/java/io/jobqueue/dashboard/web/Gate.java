package io.jobqueue.dashboard.web;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.SqlFailure;
import jakarta.servlet.http.HttpServletRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.PathContainer;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * What each request goes through, for the page, its assets and its data: nothing is
 * answered to somebody who may not look, whatever the application itself permits. What
 * goes wrong is answered here, so that no advice of the application's sees it.
 */
final class Gate implements HandlerFilterFunction<ServerResponse, ServerResponse> {

	private static final Logger log = LoggerFactory.getLogger(Gate.class);

	/** Set where {@link LoginFilter} is to send the user to the application's login. */
	static final String LOG_IN = Gate.class.getName() + ".LOG_IN";

	static final String NO_LOGIN = "Nobody is logged in, and the application has no login for this path. See "
			+ "view-roles and open in the dashboard's documentation";

	private static final boolean HAS_LOGIN_FILTER = ClassUtils
		.isPresent("org.springframework.security.web.SecurityFilterChain", Gate.class.getClassLoader());

	private static final String UNKNOWN_HOST = "The dashboard asks nobody who they are, so it answers only at addresses, "
			+ "names without a dot and names that it knows. Add this one to jobqueue.dashboard.allowed-origins, as https://jobs.example.com";

	private static final MediaType TEXT = new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);

	private final Access access;

	private final SameOrigin origin;

	private final String dataPath;

	/**
	 * Creates the gate.
	 * @param access who may do what
	 * @param origin which writes are the dashboard's own
	 * @param dataPath what the paths of data begin with, in the application
	 */
	Gate(Access access, SameOrigin origin, String dataPath) {
		this.access = access;
		this.origin = origin;
		this.dataPath = dataPath;
	}

	@Override
	public ServerResponse filter(ServerRequest request, HandlerFunction<ServerResponse> next) {
		return new GuardedResponse(guarded(request, next));
	}

	private ServerResponse guarded(ServerRequest request, HandlerFunction<ServerResponse> next) {
		HttpServletRequest http = request.servletRequest();
		switch (this.access.look(http)) {
			case LOG_IN -> {
				return logIn(request);
			}
			case NO -> {
				return refused(request, HttpStatus.FORBIDDEN,
						this.access.isClosed() ? "The dashboard is closed. The application's log says how to open it"
								: "You may not look here, " + http.getRemoteUser()
										+ ": that needs one of the roles in jobqueue.dashboard.view-roles");
			}
			default -> {
			}
		}
		String foreign = isData(request) ? this.origin.refusalOfRead(http) : null;
		if (foreign != null || !this.access.isKnownHost(http)) {
			return refused(request, HttpStatus.FORBIDDEN, (foreign != null) ? foreign : UNKNOWN_HOST);
		}
		if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
			String refusal = this.access.mayAct(http) ? this.origin.refusal(http) : "You may look, but not act";
			if (refusal != null) {
				return refused(request, HttpStatus.FORBIDDEN, refusal);
			}
		}
		return answered(request, next);
	}

	private ServerResponse answered(ServerRequest request, HandlerFunction<ServerResponse> next) {
		try {
			return next.handle(request);
		}
		catch (IllegalArgumentException ex) {
			return refused(request, HttpStatus.BAD_REQUEST, String.valueOf(ex.getMessage()));
		}
		catch (PessimisticLockingFailureException ex) {
			return refused(request, HttpStatus.CONFLICT, "Somebody else is at it. Try again");
		}
		catch (Exception | StackOverflowError ex) {
			if (SqlFailure.isOutage(ex) || ex instanceof UnknownOutcomeException) {
				log.debug("The dashboard could not answer {} {}", request.method(), request.path(), ex);
				return refused(request, HttpStatus.SERVICE_UNAVAILABLE, "The database cannot be asked now."
						+ (request.method().equals(HttpMethod.GET) ? "" : " Look whether it was changed all the same"));
			}
			log.warn("The dashboard could not answer {} {}", request.method(), request.path(), ex);
			return refused(request, HttpStatus.INTERNAL_SERVER_ERROR, "This could not be answered. The log says why");
		}
	}

	private ServerResponse logIn(ServerRequest request) {
		if (isData(request) || !HAS_LOGIN_FILTER) {
			return refused(request, HttpStatus.UNAUTHORIZED, isData(request) ? "Log in first" : NO_LOGIN);
		}
		// Without a body, so that the answer is not on its way before the filter sees it.
		request.servletRequest().setAttribute(LOG_IN, true);
		return ServerResponse.status(HttpStatus.UNAUTHORIZED).build();
	}

	/** As routes read the path: decoded, and without parameters. */
	private boolean isData(ServerRequest request) {
		String path = request.requestPath()
			.pathWithinApplication()
			.elements()
			.stream()
			.map((part) -> (part instanceof PathContainer.PathSegment segment) ? segment.valueToMatch() : part.value())
			.collect(Collectors.joining());
		return path.startsWith(this.dataPath);
	}

	private ServerResponse refused(ServerRequest request, HttpStatus status, String why) {
		ServerResponse.BodyBuilder answer = ServerResponse.status(status);
		return isData(request) ? answer.contentType(MediaType.APPLICATION_JSON).body(Map.of("error", why))
				: answer.contentType(TEXT).body(why);
	}

}
