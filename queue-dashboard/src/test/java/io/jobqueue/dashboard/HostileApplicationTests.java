package io.jobqueue.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.handler.MappedInterceptor;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an application does to its own pages does not happen to the dashboard.
 */
class HostileApplicationTests {

	@Test
	void thePageAndItsDataAreAsEver() throws Exception {
		try (TestApplication application = TestApplication.open(Hostile.class)) {
			assertThat(application.get("/anything").body()).contains("caught");
			assertThat(application.get("/jobqueue/").body()).contains("assets/app.js");
			assertThat(application.get("/jobqueue/assets/app.js").statusCode()).isEqualTo(200);
			assertThat(application.get("/jobqueue/api/v1/overview").body()).contains("\"queueCount\":")
				.doesNotContain("caught");
			assertThat(application.get("/jobqueue/api/v1/jobs?state=none").body()).contains("There is no state 'none'");
			assertThat(application.get("/jobqueue/elsewhere").statusCode()).isEqualTo(404);
			assertThat(application.act("/queues/pause", "{\"queue\":\"mail\"}").body()).contains("\"changed\":1");
			assertThat(application.act("/queues/pause", "{\"kueue\":\"mail\"}").statusCode()).isEqualTo(400);
		}
	}

	@Test
	void itsCorsRulesDoNotApply() throws Exception {
		try (TestApplication application = TestApplication.open(Hostile.class)) {
			assertThat(application.get("/jobqueue/api/v1/overview", "Origin", "https://evil.example").headers().map())
				.doesNotContainKey("access-control-allow-origin");
			assertThat(application
				.post("/queues/pause", "{\"queue\":\"mail\"}", "Content-Type", "application/json", "Origin",
						"https://evil.example", "Sec-Fetch-Site", "cross-site")
				.statusCode()).isEqualTo(403);
		}
	}

	@RestController
	@Configuration(proxyBeanMethods = false)
	static class Hostile implements WebMvcConfigurer {

		@RequestMapping("/**")
		String everything() {
			return "caught";
		}

		@Override
		public void addCorsMappings(CorsRegistry registry) {
			registry.addMapping("/**").allowedOrigins("*").allowedMethods("*");
		}

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new Refusing()).addPathPatterns("/jobqueue/**");
		}

		@Bean
		MappedInterceptor refusing() {
			return new MappedInterceptor(new String[] { "/jobqueue/**" }, new Refusing());
		}

		@Bean
		JsonMapper snakes() {
			return JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();
		}

		@Bean
		HandlerExceptionResolver swallowing() {
			return new Swallowing();
		}

		@Bean
		Advice advice() {
			return new Advice();
		}

	}

	static class Refusing implements HandlerInterceptor {

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
			throw new IllegalStateException("caught by an interceptor");
		}

	}

	static class Swallowing implements HandlerExceptionResolver, Ordered {

		@Override
		public ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response, Object handler,
				Exception ex) {
			response.setStatus(218);
			return new ModelAndView();
		}

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

	}

	@ControllerAdvice
	static class Advice implements ResponseBodyAdvice<Object> {

		@ExceptionHandler(Exception.class)
		String all() {
			return "caught";
		}

		@Override
		public boolean supports(MethodParameter returned, Class<? extends HttpMessageConverter<?>> converter) {
			return true;
		}

		@Override
		public Object beforeBodyWrite(Object body, MethodParameter returned, MediaType type,
				Class<? extends HttpMessageConverter<?>> converter, ServerHttpRequest request,
				ServerHttpResponse response) {
			return "caught";
		}

	}

}
