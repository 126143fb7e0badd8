package io.jobqueue.spring.handler;

import java.util.Optional;

import io.jobqueue.DeadJobHandler;
import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PermanentJobException;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens when a job is dead.
 */
class DeadJobHandlerTests extends HandlerTests {

	@Test
	void itIsCalledOnceWithThePayloadAndTheJob() {
		this.runner.withUserConfiguration(GivesUp.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			long id = queue.enqueue(NewJob.of("order", new Line("tea", 3)).maxAttempts(2));
			assertThat(next()).isEqualTo("order " + id + ": 3 tea, DEAD after 2, it fails; call 1 of 10");
			assertThat(await(queue, id, JobState.DEAD).attempt()).isEqualTo(2);
			awaitNoLiveJobs(context.getBean(JdbcTemplate.class));
			assertThat(received).isEmpty();
		});
	}

	@Test
	void theOneForEveryTypeIsCalledForThoseThatHaveNone() {
		this.runner.withUserConfiguration(GivesUp.class, Everything.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			long id = queue.enqueue("other");
			assertThat(next()).isEqualTo("other " + id);
			queue.enqueue(NewJob.of("order", new Line("tea", 3)).maxAttempts(1));
			assertThat(next()).asString().startsWith("order ");
			awaitNoLiveJobs(context.getBean(JdbcTemplate.class));
			assertThat(received).isEmpty();
		});
	}

	@Test
	void ifItFailsForGoodItIsDeadAndNothingFollows() {
		this.runner.withUserConfiguration(FailsItself.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			queue.enqueue("order");
			assertThat(next()).isEqualTo("failing 1");
			assertThat(next()).isEqualTo("failing 2");
			JdbcTemplate sql = context.getBean(JdbcTemplate.class);
			awaitNoLiveJobs(sql);
			assertThat(sql.queryForList("SELECT type FROM jobqueue_archive WHERE state = 4 ORDER BY id", String.class))
				.containsExactly("order", "jobqueue.dead.order");
		});
	}

	@Test
	void itMayRunInATransactionAndHaveItsOwnRetry() {
		this.runner.withUserConfiguration(Tuned.class).run((context) -> {
			Handler handler = context.getBean(Handlers.class).find("jobqueue.dead.order");
			assertThat(handler).isNotNull();
			assertThat(handler.retry().maxAttempts()).isEqualTo(3);
			assertThat(handler.retry().noRetryFor()).containsExactly(IllegalStateException.class);
			assertThat(handler.timeout()).hasMinutes(2);
			assertThat(handler.transactional()).isTrue();
			context.getBean(JobQueue.class).enqueue("order");
			assertThat(next()).isEqualTo("in a transaction: true");
		});
	}

	@Test
	void aJobThatIsGoneCannotBeToldOf() {
		this.runner.withUserConfiguration(Everything.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			JdbcTemplate sql = context.getBean(JdbcTemplate.class);
			sql.update("INSERT INTO jobqueue_job (id, type, payload) VALUES (101, 'jobqueue.dead', "
					+ "'{\"job\":4711,\"enqueuedMicros\":null}')");
			sql.update("INSERT INTO jobqueue_job (id, type, payload) VALUES (102, 'jobqueue.dead', 'nonsense')");
			awaitNoLiveJobs(sql);
			assertThat(queue.find(101).orElseThrow().lastError().orElseThrow().message()).contains("4711",
					"not in the database");
			assertThat(queue.find(102).orElseThrow().lastError().orElseThrow().message())
				.contains("not written by the job queue");
			assertThat(received).isEmpty();
		});
	}

	@Test
	void aPayloadThatCannotBeReadIsAnEmptyOptional() {
		this.runner.withUserConfiguration(MayBeUnreadable.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			context.getBean(JdbcTemplate.class)
				.update("INSERT INTO jobqueue_job (type, payload) VALUES ('order', 'no JSON')");
			assertThat(next()).isEqualTo("Optional.empty no JSON");
			queue.enqueue("order", new Line("tea", 3));
			assertThat(next().toString()).contains("tea");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { TwoForOneType.class, TooLong.class, Reserved.class, ReservedJobs.class, TwoJobs.class,
			NoType.class })
	void whatCannotBeCalledFailsTheStart(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.isInstanceOf(InvalidJobHandlerException.class));
	}

	private static void awaitNoLiveJobs(JdbcTemplate sql) {
		Awaitility.await().until(() -> sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job", Long.class) == 0);
	}

	@Configuration(proxyBeanMethods = false)
	static class GivesUp {

		@JobHandler("order")
		void order(Line line) {
			throw new IllegalStateException("it fails");
		}

		@DeadJobHandler("order")
		void gaveUp(JobContext call, Line line, Job job) {
			received.add("%s %d: %d %s, %s after %d, %s; call %d of %d".formatted(job.type(), job.id(), line.count(),
					line.article(), job.state(), job.attempt(), job.lastError().orElseThrow().message(), call.attempt(),
					call.maxAttempts()));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MayBeUnreadable {

		@JobHandler(value = "order", maxAttempts = 1)
		void order(Line line) {
			throw new IllegalStateException("it fails");
		}

		@DeadJobHandler("order")
		void gaveUp(Optional<Line> line, Job job) {
			received.add(line + " " + job.payload());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Everything {

		@JobHandler("other")
		void other() {
			throw new PermanentJobException("never");
		}

		@DeadJobHandler("*")
		void gaveUp(Job job) {
			received.add(job.type() + " " + job.id());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FailsItself {

		@JobHandler("order")
		void order() {
			throw new PermanentJobException("never");
		}

		@DeadJobHandler(value = "order", maxAttempts = 2)
		void gaveUp(JobContext call) {
			received.add("failing " + call.attempt());
			throw new IllegalStateException("too");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Tuned {

		@JobHandler("order")
		void order() {
			throw new PermanentJobException("never");
		}

		@DeadJobHandler(value = "order", maxAttempts = 3, timeout = "2m", transactional = true,
				noRetryFor = IllegalStateException.class)
		void gaveUp() {
			received.add("in a transaction: " + TransactionSynchronizationManager.isActualTransactionActive());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoForOneType {

		@DeadJobHandler("order")
		void one() {
		}

		@DeadJobHandler("order")
		void other() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TooLong {

		@DeadJobHandler("a-type-of-fifty-one-characters-which-is-one-too-man")
		void gaveUp() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Reserved {

		@DeadJobHandler("jobqueue.dead.order")
		void gaveUp() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ReservedJobs {

		@JobHandler("jobqueue.dead.order")
		void order() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoJobs {

		@DeadJobHandler("order")
		void gaveUp(Job one, Job other) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoType {

		@DeadJobHandler("")
		void gaveUp() {
		}

	}

}
