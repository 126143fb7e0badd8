package io.jobqueue.dashboard.web;

import io.jobqueue.dashboard.DashboardProperties;
import io.jobqueue.dashboard.api.DataRoutes;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.function.RequestPredicate;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * All paths of the dashboard. What is below its path and is none of them is not found,
 * whatever else the application maps there.
 */
public final class DashboardRoutes {

	/** Where the data is, below the dashboard's path. */
	private static final String DATA = "/api/v1";

	private DashboardRoutes() {
	}

	/**
	 * Builds them.
	 * @param properties the dashboard's settings
	 * @param access who may do what
	 * @param data the paths of the data
	 * @return what is answered
	 */
	public static RouterFunction<ServerResponse> of(DashboardProperties properties, Access access, DataRoutes data) {
		String path = properties.path();
		Assets assets = new Assets();
		Gate gate = new Gate(access, new SameOrigin(properties.allowedOrigins()), path + DATA);
		return RouterFunctions.route()
			// Relative, so that it holds behind any prefix of a proxy.
			.route(page(path),
					(request) -> ServerResponse.status(HttpStatus.FOUND)
						.header(HttpHeaders.LOCATION, path.substring(path.lastIndexOf('/') + 1) + "/")
						.build())
			.route(page(path + "/"), (request) -> assets.serve(request, "index.html"))
			.route(page(path + "/assets/{name}"), (request) -> assets.serve(request, request.pathVariable("name")))
			.path(path + DATA, (builder) -> {
				data.addReads(builder, SessionView.of(access), access::maySeePayloads);
				data.addWrites(builder, access::maySeePayloads);
			})
			.route(RequestPredicates.path(path + "/**"), (request) -> ServerResponse.notFound().build())
			.filter(gate)
			.build();
	}

	/**
	 * Checks from outside often ask by HEAD.
	 */
	private static RequestPredicate page(String path) {
		return RequestPredicates.methods(HttpMethod.GET, HttpMethod.HEAD).and(RequestPredicates.path(path));
	}

}
