package io.jobqueue.spring.guide;

import java.util.List;

import io.jobqueue.BlockedKey;
import io.jobqueue.Job;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.PermanentJobException;
import io.jobqueue.WaitReason.Kind;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The examples of {@code docs/guides/order.md}.
 */
class OrderGuideTests extends GuideApplication {

	private static final Markdown GUIDE = Markdown.of("docs/guides/order.md");

	@Test
	void jobsOfOneOrderRunInTheOrderOfItsChanges() throws Exception {
		try (ConfigurableApplicationContext application = start(Shop.class)) {
			JobQueue jobQueue = application.getBean(JobQueue.class);
			Orders orders = application.getBean(Orders.class);
			Changes changes = application.getBean(Changes.class);
			orders.add(42);
			changes.change(42, "paid");
			changes.change(42, "sent");
			Change change = new Change(42, 3, "returned");
			jobQueue.enqueue(NewJob.of("mail-order-change", change).orderKey("order-" + change.orderId()));
			jobQueue.enqueue(NewJob.of("mail-order-change", change).orderKey("order-42"));
			assertThat(next()).isEqualTo(new Change(42, 1, "paid"));
			assertThat(next()).isEqualTo(new Change(42, 2, "sent"));
			assertThat(next()).isEqualTo(change);
			assertThat(next()).isEqualTo(change);
		}
	}

	@Test
	void aDeadJobBlocksItsKeyUntilSomebodyUnblocksIt() throws Exception {
		try (ConfigurableApplicationContext application = start(Shop.class)) {
			JobQueue jobQueue = application.getBean(JobQueue.class);
			long dead = block(jobQueue);
			Job waiting = jobQueue.find(dead + 1).orElseThrow();
			assertThat(waiting.waitingFor().orElseThrow().kind()).isEqualTo(Kind.BLOCKED);

			List<BlockedKey> blocked = jobQueue.blockedKeys(100);
			assertThat(blocked).singleElement().satisfies((key) -> {
				assertThat(key.orderKey()).isEqualTo("order-42");
				assertThat(key.jobId()).isEqualTo(dead);
				assertThat(key.error().message()).isEqualTo("No such address");
			});
			jobQueue.unblock("order-42");
			assertThat(next()).isEqualTo(new Change(42, 2, "sent"));

			assertThat(GUIDE.curls()).hasSize(2);
			block(jobQueue);
			assertThat(curl(application, GUIDE.curls().get(0))).contains("order-42").contains("No such address");
			curl(application, GUIDE.curls().get(1));
			assertThat(next()).isEqualTo(new Change(42, 2, "sent"));
		}
	}

	private static long block(JobQueue jobQueue) {
		List<Long> ids = jobQueue
			.enqueueAll(List.of(NewJob.of("change-that-blocks", new Change(42, 1, "fails")).orderKey("order-42"),
					NewJob.of("change-that-blocks", new Change(42, 2, "sent")).orderKey("order-42")));
		Awaitility.await().until(() -> jobQueue.find(ids.get(0)).orElseThrow().state() == JobState.DEAD);
		assertThat(received).isEmpty();
		return ids.get(0);
	}

	record Change(long orderId, long number, String text) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Shop {

		@Bean
		Orders orders(JdbcTemplate template) {
			template.execute("CREATE TABLE shop_order (id BIGINT PRIMARY KEY, changes BIGINT NOT NULL)");
			return new Orders(template);
		}

		@Bean
		Changes changes(Orders orders, JobQueue jobQueue) {
			return new Changes(orders, jobQueue);
		}

		@JobHandler("mail-order-change")
		void mail(Change change) {
			received.add(change);
		}

		@JobHandler(value = "change-that-blocks", onDead = OnDead.BLOCK)
		void fail(Change change) {
			if (change.text().equals("fails")) {
				throw new PermanentJobException("No such address");
			}
			received.add(change);
		}

	}

	record Orders(JdbcTemplate template) {

		void add(long id) {
			this.template.update("INSERT INTO shop_order (id, changes) VALUES (?, 0)", id);
		}

		void lock(long id) {
			this.template.queryForObject("SELECT id FROM shop_order WHERE id = ? FOR UPDATE", Long.class, id);
		}

		long addChange(long id, String text) {
			assertThat(text).isNotEmpty();
			this.template.update("UPDATE shop_order SET changes = changes + 1 WHERE id = ?", id);
			return this.template.queryForObject("SELECT changes FROM shop_order WHERE id = ?", Long.class, id);
		}

	}

	static class Changes {

		private final Orders orders;

		private final JobQueue jobQueue;

		Changes(Orders orders, JobQueue jobQueue) {
			this.orders = orders;
			this.jobQueue = jobQueue;
		}

		@Transactional
		void change(long orderId, String text) {
			orders.lock(orderId);
			long number = orders.addChange(orderId, text);
			jobQueue.enqueue(
					NewJob.of("mail-order-change", new Change(orderId, number, text)).orderKey("order-" + orderId));
		}

	}

}
