package io.jobqueue.spring.handler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.jobqueue.DeadJobHandler;
import io.jobqueue.Job;
import io.jobqueue.JobBatch;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PermanentJobException;
import io.jobqueue.Recurring;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Batch handlers as methods of beans.
 */
class BatchHandlerTests extends HandlerTests {

	@Test
	void aListHasThePayloads() {
		this.runner.withUserConfiguration(Index.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			List<Long> ids = queue.enqueueAll(List.of(NewJob.of("index", new Line("a", 1)),
					NewJob.of("index", new Line("b", 2)), NewJob.of("index", new Line("c", 3))));
			ids.forEach((id) -> await(queue, id, JobState.SUCCEEDED));
			Set<String> articles = new TreeSet<>();
			while (articles.size() < 3) {
				assertThat(((List<?>) next())).allSatisfy((line) -> articles.add(((Line) line).article()));
			}
			assertThat(articles).containsExactly("a", "b", "c");
			Handler handler = context.getBean(Handlers.class).find("index");
			assertThat(handler.chunks()).isEqualTo(new Handler.Chunks(100, Duration.ofMillis(50)));
			assertThat(handler.invocation().payloadType()).isEqualTo(Line.class);
			assertThat(handler.invocation()).asString().contains("Index.index");
		});
	}

	@Test
	void aBatchTellsWhichJobsTheyAreAndWhichHaveFailed() {
		this.runner.withUserConfiguration(Marking.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			List<Long> ids = queue.enqueueAll(List.of(NewJob.of("mark", new Line("good", 1)),
					NewJob.of("mark", new Line("bad", 2)), NewJob.of("mark", new Line("worse", 3))));
			await(queue, ids.get(0), JobState.SUCCEEDED);
			Job bad = await(queue, ids.get(1), JobState.DEAD);
			assertThat(bad.lastError().orElseThrow().message()).isEqualTo("This one is bad");
			assertThat(await(queue, ids.get(2), JobState.DEAD).lastError().orElseThrow().message())
				.isEqualTo("And this one");
			assertThat(
					context.getBean(JdbcTemplate.class).queryForList("SELECT id FROM marked ORDER BY id", Long.class))
				.containsExactly(ids.get(0));
		});
	}

	@Test
	void aPayloadThatCannotBeReadKillsItsJobOnly() {
		this.runner.withUserConfiguration(Index.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			List<Long> ids = queue.enqueueAll(
					List.of(NewJob.of("index", new Line("a", 1)), NewJob.of("index", "no line"), NewJob.of("index")));
			await(queue, ids.get(0), JobState.SUCCEEDED);
			await(queue, ids.get(1), JobState.DEAD);
			assertThat(await(queue, ids.get(2), JobState.DEAD).lastError().orElseThrow().message()).contains("missing");
		});
	}

	@Test
	void whatIsMarkedMustBeOfTheBatch() {
		JobBatch<String> batch = () -> List.of();
		assertThatThrownBy(() -> batch.fail("other", new IllegalStateException()))
			.isInstanceOf(IllegalArgumentException.class);
	}

	@ParameterizedTest
	@ValueSource(classes = { TakesOne.class, TakesContext.class, TakesNothing.class, RawList.class, BatchOfOne.class,
			WaitsForNobody.class, WaitsTooLong.class, NoSize.class, OfDeadJobs.class, Recurs.class })
	void oneThatCannotBeCalledFailsTheStart(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.isInstanceOf(InvalidJobHandlerException.class)
				.hasMessageMatching("(?s).*(its only parameter must be a List of payloads or a JobBatch"
						+ "|does not say what payloads are in its List|has a parameter of type JobBatch, but its batchSize is 1"
						+ "|has a batchWait, but its batchSize is 1|batchWait must be from 0 to 1s, but is 2s"
						+ "|batchSize must be at least 1, but is 0|which is neither @Recurring nor @DeadJobHandler|it is both @JobHandler and @DeadJobHandler).*"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Index {

		@JobHandler(value = "index", batchSize = 100, batchWait = "50ms")
		void index(List<Line> lines) {
			received.add(new ArrayList<>(lines));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Marking {

		private final JdbcTemplate sql;

		Marking(JdbcTemplate sql) {
			this.sql = sql;
			sql.execute("CREATE TABLE marked (id BIGINT NOT NULL)");
		}

		@JobHandler(value = "mark", batchSize = 10, batchWait = "100ms", transactional = true)
		void mark(JobBatch<Line> batch) {
			for (Line line : batch.payloads()) {
				if (line.article().equals("bad")) {
					batch.fail(line, new PermanentJobException("This one is bad"));
				}
			}
			for (JobBatch.Entry<Line> entry : batch.entries()) {
				if (entry.payload().article().equals("worse")) {
					entry.fail(new PermanentJobException("And this one"));
				}
				if (entry.payload().article().equals("good")) {
					this.sql.update("INSERT INTO marked VALUES (?)", entry.context().id());
				}
			}
		}

	}

	static class TakesOne {

		@JobHandler(value = "one", batchSize = 2)
		void handle(Line line) {
		}

	}

	static class TakesContext {

		@JobHandler(value = "context", batchSize = 2)
		void handle(List<Line> lines, JobContext context) {
		}

	}

	static class TakesNothing {

		@JobHandler(value = "nothing", batchSize = 2)
		void handle() {
		}

	}

	@SuppressWarnings("rawtypes")
	static class RawList {

		@JobHandler(value = "raw", batchSize = 2)
		void handle(List lines) {
		}

	}

	static class BatchOfOne {

		@JobHandler("ofone")
		void handle(JobBatch<Line> batch) {
		}

	}

	static class WaitsForNobody {

		@JobHandler(value = "waits", batchWait = "50ms")
		void handle(Line line) {
		}

	}

	static class WaitsTooLong {

		@JobHandler(value = "long", batchSize = 2, batchWait = "2s")
		void handle(List<Line> lines) {
		}

	}

	static class NoSize {

		@JobHandler(value = "nosize", batchSize = 0)
		void handle(List<Line> lines) {
		}

	}

	static class OfDeadJobs {

		@DeadJobHandler("dead")
		@JobHandler(value = "dead", batchSize = 2)
		void handle(List<Line> lines) {
		}

	}

	static class Recurs {

		@JobHandler(value = "recurs", batchSize = 2)
		@Recurring(every = "1h")
		void handle(List<Line> lines) {
		}

	}

}
