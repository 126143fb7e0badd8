package io.jobqueue.spring.handler;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.jobqueue.Job;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What payloads become on their way to a handler, and what happens to those that cannot
 * be read.
 */
class JobHandlerPayloadTests extends HandlerTests {

	@Test
	void aPayloadThatIsNullInJsonIsRefused() {
		this.runner.withUserConfiguration(Shapes.class)
			.run((context) -> assertThatIllegalArgumentException()
				.isThrownBy(() -> context.getBean(JobQueue.class).enqueue("record", Optional.empty()))
				.withMessageContaining("Optional")
				.withMessageContaining("JSON null"));
	}

	@Test
	void payloadsArriveInTheTypeOfTheParameter() {
		Order order = new Order(42, new BigDecimal("9.90"), Instant.parse("2026-03-29T01:30:00.123456Z"),
				LocalDate.of(2024, 2, 29), List.of(new Line("tea", 2)), Optional.empty());
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			queue.enqueue("record", order);
			assertThat(next()).isEqualTo(order);
			queue.enqueue("generic", Map.of("a", List.of(new Line("tea", 2))));
			assertThat(next()).isEqualTo(Map.of("a", List.of(new Line("tea", 2))));
			queue.enqueue("inherited", new Line("cup", 1));
			assertThat(next()).isEqualTo(new Line("cup", 1));
			long id = queue.enqueue("context-only");
			assertThat(next()).isEqualTo(id);
			queue.enqueue("both", "text");
			assertThat(next()).isEqualTo("text 1");
			queue.enqueue("nothing", "ignored");
			assertThat(next()).isEqualTo("nothing");
		});
	}

	@Test
	void whatCannotBeReadIsDeadAtOnceAndOthersFlowOn() {
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			JdbcTemplate sql = context.getBean(JdbcTemplate.class);
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('record', '{\"secret-broken')");
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('record', '[\"secret-array\"]')");
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('record', '{\"id\":\"secret-text\"}')");
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('record', 'null')");
			sql.update("INSERT INTO jobqueue_job (type) VALUES ('record')");
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('record', ?)", "[".repeat(100_000));
			long good = queue.enqueue("both", "good");
			await(queue, good, JobState.SUCCEEDED);
			Awaitility.await()
				.until(() -> sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE state = 4",
						Long.class) == 6);
			List<Long> dead = sql.queryForList("SELECT id FROM jobqueue_archive WHERE state = 4", Long.class);
			for (long id : dead) {
				Job job = queue.find(id).orElseThrow();
				assertThat(job.attempt()).isEqualTo(1);
				assertThat(job.lastError().orElseThrow().message()).contains("payload").doesNotContain("secret");
				assertThat(job.lastError().orElseThrow().stackTrace()).doesNotContain("secret");
			}
		});
	}

	@Test
	void aClassNameInTheDataChangesNothing() {
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			context.getBean(JdbcTemplate.class)
				.update("INSERT INTO jobqueue_job (type, payload) VALUES ('object', ?)",
						"{\"@class\":\"java.util.Date\",\"name\":\"x\"}");
			assertThat(next()).isEqualTo(Map.of("@class", "java.util.Date", "name", "x"));
		});
	}

}
