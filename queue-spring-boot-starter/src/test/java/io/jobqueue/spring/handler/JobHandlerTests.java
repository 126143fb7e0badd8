package io.jobqueue.spring.handler;

import io.jobqueue.Job;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Methods as job handlers: which are found, how they are called, and what their
 * annotation says.
 */
class JobHandlerTests extends HandlerTests {

	@Test
	void theAnnotationSaysHowToRetry() {
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			Handlers handlers = context.getBean(Handlers.class);
			Handler handler = handlers.find("tuned");
			assertThat(handler).isNotNull();
			assertThat(handler.retry().maxAttempts()).isEqualTo(3);
			assertThat(handler.retry().backoff().delay()).hasMillis(500);
			assertThat(handler.retry().backoff().multiplier()).isEqualTo(1);
			assertThat(handler.retry().backoff().maxDelay()).hasMinutes(60);
			assertThat(handler.retry().noRetryFor()).containsExactly(IllegalArgumentException.class);
			assertThat(handler.timeout()).hasMinutes(2);
			assertThat(handlers.find("record").timeout()).hasMinutes(60);
		});
	}

	@Test
	void lazyBeansStayLazyUntilTheirFirstJob() {
		this.runner.withUserConfiguration(LazyBean.class).run((context) -> {
			assertThat(received).isEmpty();
			assertThat(context.getBean(Handlers.class).types()).containsExactly("lazy");
			context.getBean(JobQueue.class).enqueue("lazy");
			assertThat(next()).isEqualTo("created");
			assertThat(next()).isEqualTo("lazy");
		});
	}

	@Test
	void proxiesAreCalledThrough() {
		this.runner.withUserConfiguration(ProxiedBean.class).run((context) -> {
			assertThat(AopUtils.isAopProxy(context.getBean(Proxied.class))).isTrue();
			context.getBean(JobQueue.class).enqueue("proxied");
			assertThat(next()).isEqualTo("in a transaction: true");
		});
	}

	@Test
	void theActualClassOfABeanCountsAndNotTheDeclaredOne() {
		this.runner.withUserConfiguration(HiddenBehindInterface.class).run((context) -> {
			context.getBean(JobQueue.class).enqueue("hidden");
			assertThat(next()).isEqualTo("hidden");
		});
	}

	@Test
	void aHandlerThatLeavesATransactionOpenIsNamed() {
		this.runner.withUserConfiguration(Leaking.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			Job job = await(queue, queue.enqueue(NewJob.of("leaking").maxAttempts(1)), JobState.DEAD);
			assertThat(job.lastError().orElseThrow().message()).contains("Leaking.leak(")
				.contains("begun a transaction");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBean {

		@Bean
		@Lazy
		LazyHandler lazyHandler() {
			return new LazyHandler();
		}

	}

	static class LazyHandler {

		LazyHandler() {
			received.add("created");
		}

		@JobHandler("lazy")
		void handle() {
			received.add("lazy");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxiedBean {

		@Bean
		Proxied proxied() {
			return new Proxied();
		}

	}

	static class Proxied {

		@JobHandler("proxied")
		@Transactional
		void handle() {
			received.add("in a transaction: " + TransactionSynchronizationManager.isActualTransactionActive());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Leaking {

		@Autowired
		PlatformTransactionManager transactions;

		@JobHandler("leaking")
		void leak() {
			this.transactions.getTransaction(TransactionDefinition.withDefaults());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenBehindInterface {

		@Bean
		Runnable hidden() {
			return new Hidden();
		}

	}

	static class Hidden implements Runnable {

		@Override
		@JobHandler("hidden")
		public void run() {
			received.add("hidden");
		}

	}

}
