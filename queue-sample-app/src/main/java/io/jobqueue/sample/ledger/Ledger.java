package io.jobqueue.sample.ledger;

import java.time.ZoneId;

import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.sample.orders.Order;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Posts orders to the ledger, each exactly once: the entry and the job's completion are
 * committed together, whatever happens to the process.
 */
@Component
public class Ledger {

	/** Where the shop is: its days begin and end there. */
	public static final ZoneId ZONE = ZoneId.of("Europe/Berlin");

	private final JdbcClient client;

	Ledger(JdbcClient client) {
		this.client = client;
	}

	@JobHandler(value = "post-to-ledger", transactional = true)
	void post(Order order, JobContext job) {
		this.client.sql("INSERT INTO shop_ledger (order_reference, amount, job_id, posted_day) VALUES (?, ?, ?, ?)")
			.params(order.reference(), order.amount(), job.id(), job.enqueuedAt().atZone(ZONE).toLocalDate())
			.update();
	}

}
