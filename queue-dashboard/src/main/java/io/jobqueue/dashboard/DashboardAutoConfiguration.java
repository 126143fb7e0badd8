package io.jobqueue.dashboard;

import java.time.Duration;
import io.jobqueue.JobQueue;
import io.jobqueue.Jobs;
import io.jobqueue.Limits;
import io.jobqueue.Operations;
import io.jobqueue.Schedules;
import io.jobqueue.dashboard.api.ActionsApi;
import io.jobqueue.dashboard.api.DataRoutes;
import io.jobqueue.dashboard.api.DatabaseTime;
import io.jobqueue.dashboard.api.HistoryApi;
import io.jobqueue.dashboard.api.JobsApi;
import io.jobqueue.dashboard.api.OperationsApi;
import io.jobqueue.dashboard.api.OverviewApi;
import io.jobqueue.dashboard.api.RatesApi;
import io.jobqueue.dashboard.api.RulesApi;
import io.jobqueue.dashboard.web.Access;
import io.jobqueue.dashboard.web.DashboardMapping;
import io.jobqueue.dashboard.web.DashboardRoutes;
import io.jobqueue.dashboard.web.LoginFilter;
import io.jobqueue.history.HistoryRecorder;
import io.jobqueue.maintenance.UnhandledTypes;
import io.jobqueue.node.OperatorStores;
import io.jobqueue.node.QueueNode;
import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.spring.autoconfigure.JobQueueSamplerAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.KnownQueues;
import io.jobqueue.store.Queues;
import io.jobqueue.store.WorkerSessions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * The dashboard, in applications on Spring MVC. It defines no bean of Spring Security's,
 * so that the application's own rules, or Spring Boot's, stay as they are.
 */
@AutoConfiguration(after = { JobQueueWorkerAutoConfiguration.class, JobQueueSamplerAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBooleanProperty(name = "jobqueue.dashboard.enabled", matchIfMissing = true)
@ConditionalOnBean({ JobQueue.class, QueueSampler.class })
@EnableConfigurationProperties(DashboardProperties.class)
public final class DashboardAutoConfiguration {

	/** No chore runs it. */
	private static final Duration UNUSED = Duration.ofDays(1);

	private static final Logger log = LoggerFactory.getLogger(DashboardAutoConfiguration.class);

	@Bean
	HistoryApi jobQueueDashboardHistory(OperatorStores stores, ObjectProvider<HistoryRecorder> recorder) {
		return new HistoryApi(stores.history(), recorder.getIfAvailable() != null);
	}

	@Bean
	RatesApi jobQueueDashboardRates(OperatorStores stores, ObjectProvider<HistoryRecorder> recorder) {
		return new RatesApi(stores.history(), recorder.getIfAvailable() != null);
	}

	@Bean
	OverviewApi jobQueueDashboardOverview(QueueSampler sampler, Queues queues, WorkerSessions sessions, RatesApi rates,
			JobStore store, ObjectProvider<UnhandledTypes> worker) {
		UnhandledTypes ofWorker = worker.getIfAvailable();
		return new OverviewApi(sampler, queues, sessions, rates, (ofWorker != null) ? ofWorker::current
				: OverviewApi.lookedFor(new UnhandledTypes(store, sessions, UNUSED)));
	}

	@Bean
	JobsApi jobQueueDashboardJobs(JobQueue queue, Jobs jobs, ObjectProvider<PayloadMasker> masker,
			OverviewApi overview) {
		return new JobsApi(queue, jobs, masker.getIfAvailable(() -> (job) -> String.valueOf(job.payload())), overview);
	}

	@Bean
	RulesApi jobQueueDashboardRules(Schedules schedules, Limits limits, JobQueue queue) {
		return new RulesApi(schedules, limits, queue);
	}

	@Bean
	OperationsApi jobQueueDashboardOperations(Operations operations, QueueNode node) {
		return new OperationsApi(operations, node.audit());
	}

	@Bean
	KnownQueues jobQueueDashboardKnownQueues(Queues queues, WorkerSessions sessions) {
		return new KnownQueues(queues, sessions);
	}

	@Bean
	ActionsApi jobQueueDashboardActions(JobQueue queue, Operations operations, Schedules schedules, Limits limits,
			JobsApi jobs, KnownQueues known) {
		return new ActionsApi(queue, operations, schedules, limits, jobs, known);
	}

	@Bean
	DataRoutes.Shown jobQueueDashboardData(OverviewApi overview, HistoryApi history, JobsApi jobs, RulesApi rules,
			OperationsApi operations) {
		return new DataRoutes.Shown(overview, history, jobs, rules, operations);
	}

	@Bean
	DashboardMapping jobQueueDashboardMapping(DashboardProperties properties, DataRoutes.Shown shown,
			ActionsApi actions, QueueNode node, JobStore store) {
		Access access = new Access(properties);
		boolean nobodyActs = properties.actions() && !access.isOpen() && properties.actRoles().isEmpty();
		if (access.isClosed() || access.isOpen() || nobodyActs) {
			log.warn("The dashboard at {} {}", properties.path(), access.described());
		}
		else {
			log.info("The dashboard at {} {}", properties.path(), access.described());
		}
		// Not the application's, whose settings would change what the page reads.
		JsonMapper json = JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
		DataRoutes data = new DataRoutes(shown, actions, node.audit(), new DatabaseTime(store::now), json);
		return new DashboardMapping(DashboardRoutes.of(properties, access, data), json);
	}

	/**
	 * Where Spring Security is.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.security.web.SecurityFilterChain")
	static class LoginConfiguration {

		@Bean
		FilterRegistrationBean<LoginFilter> jobQueueDashboardLogin() {
			FilterRegistrationBean<LoginFilter> login = new FilterRegistrationBean<>(new LoginFilter());
			login.setOrder(Ordered.LOWEST_PRECEDENCE);
			return login;
		}

	}

}
