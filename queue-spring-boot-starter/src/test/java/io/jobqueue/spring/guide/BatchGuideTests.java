package io.jobqueue.spring.guide;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import io.jobqueue.JobBatch;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The examples of {@code docs/guides/batch.md}.
 */
class BatchGuideTests extends GuideApplication {

	@Test
	void aChunkIsInsertedByOneStatement() {
		try (ConfigurableApplicationContext application = start(Table.class)) {
			JobQueue jobQueue = application.getBean(JobQueue.class);
			jobQueue.enqueueAll(LongStream.range(0, 1000)
				.mapToObj((id) -> NewJob.of("index-document", new Document(id, "text " + id)))
				.toList());
			JdbcTemplate sql = application.getBean(JdbcTemplate.class);
			Awaitility.await()
				.until(() -> sql.queryForObject("SELECT COUNT(DISTINCT id) FROM document_index", Long.class) == 1000);
			assertThat(sql.queryForObject("SELECT COUNT(*) FROM document_index", Long.class)).isEqualTo(1000);
			assertThat(received).as("the chunks' sizes")
				.hasSizeLessThan(1000)
				.allSatisfy((size) -> assertThat((Integer) size).isBetween(1, 500));
		}
	}

	@Test
	void aJobThatIsMarkedIsTriedAgain() {
		try (ConfigurableApplicationContext application = start(Engine.class, "jobqueue.retry.delay=10ms")) {
			JobQueue jobQueue = application.getBean(JobQueue.class);
			List<Long> ids = jobQueue.enqueueAll(LongStream.range(0, 10)
				.mapToObj((id) -> NewJob.of("index-document", new Document(id, (id == 3) ? "odd" : "text"))
					.maxAttempts(2))
				.toList());
			for (int i = 0; i < 10; i++) {
				long id = ids.get(i);
				JobState end = (i == 3) ? JobState.DEAD : JobState.SUCCEEDED;
				Awaitility.await().until(() -> jobQueue.find(id).orElseThrow().state() == end);
				assertThat(jobQueue.find(id).orElseThrow().attempt()).isEqualTo((i == 3) ? 2 : 1);
			}
			assertThat(jobQueue.find(ids.get(3)).orElseThrow().lastError().orElseThrow().message())
				.isEqualTo("The text is odd");
		}
	}

	record Document(long id, String text) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Table {

		private final JdbcTemplate template;

		Table(JdbcTemplate template) {
			this.template = template;
			template.execute("CREATE TABLE document_index (id BIGINT NOT NULL, text VARCHAR(100) NOT NULL)");
		}

		@JobHandler(value = "index-document", batchSize = 500, batchWait = "50ms", transactional = true)
		void index(List<Document> documents) {
			template.batchUpdate("INSERT INTO document_index (id, text) VALUES (?, ?)", rows(documents));
			received.add(documents.size());
		}

		private static List<Object[]> rows(List<Document> documents) {
			return documents.stream().map((document) -> new Object[] { document.id(), document.text() }).toList();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Engine {

		private final Search search = (documents) -> {
			Map<Long, String> errors = documents.stream()
				.filter((document) -> document.text().equals("odd"))
				.collect(Collectors.toMap(Document::id, (document) -> "The text is odd"));
			return (id) -> Optional.ofNullable(errors.get(id));
		};

		@JobHandler(value = "index-document", batchSize = 500)
		void index(JobBatch<Document> batch) {
			Response response = search.index(batch.payloads());
			for (JobBatch.Entry<Document> entry : batch.entries()) {
				response.errorOf(entry.payload().id())
					.ifPresent((error) -> entry.fail(new IllegalStateException(error)));
			}
		}

	}

	interface Search {

		Response index(List<Document> documents);

	}

	interface Response {

		Optional<String> errorOf(long id);

	}

}
