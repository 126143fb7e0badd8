package io.jobqueue.dashboard.web;

import java.nio.charset.StandardCharsets;
import java.util.List;

import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.Ordered;
import org.springframework.http.converter.ByteArrayHttpMessageConverter;
import org.springframework.http.converter.StringHttpMessageConverter;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;

/**
 * Maps the dashboard's requests, before every mapping of the application. Neither its
 * interceptors nor its CORS settings nor its JSON mapper apply here.
 */
public final class DashboardMapping extends RouterFunctionMapping {

	/**
	 * Creates the mapping.
	 * @param routes what is answered
	 * @param json writes the data
	 */
	public DashboardMapping(RouterFunction<ServerResponse> routes, JsonMapper json) {
		super(routes);
		setOrder(Ordered.HIGHEST_PRECEDENCE);
		setMessageConverters(List.of(new StringHttpMessageConverter(StandardCharsets.UTF_8),
				new ByteArrayHttpMessageConverter(), new JacksonJsonHttpMessageConverter(json)));
	}

	/**
	 * Those that are beans are found for each mapping, but are the application's.
	 */
	@Override
	protected void detectMappedInterceptors(List<HandlerInterceptor> mappedInterceptors) {
	}

}
