package io.jobqueue.test.shop;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** An application with handlers of all kinds. */
@SpringBootApplication
public class Shop {

	public static void main(String[] args) {
		SpringApplication.run(Shop.class, args);
	}

	/** What enqueues. */
	@Service
	public static class Orders {

		private final JdbcClient sql;

		private final JobQueue jobs;

		Orders(JdbcClient sql, JobQueue jobs) {
			this.sql = sql;
			this.jobs = jobs;
		}

		@Transactional
		public void place(long id) {
			this.sql.sql("INSERT INTO orders (id) VALUES (?)").param(id).update();
			this.jobs.enqueue(NewJob.of("send-receipt", new Receipt(id, "ada@example.org")));
		}

		@Transactional
		public void placeAndFail(long id) {
			place(id);
			throw new IllegalStateException("no stock");
		}

	}

	/** A payload. */
	public record Receipt(long order, String to) {

	}

}
