package io.jobqueue.sample.reviews;

import io.jobqueue.JobHandler;
import io.jobqueue.sample.orders.Order;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Asks for reviews, some time after the order: its job is enqueued with a delay. To ask
 * twice changes nothing here, so at least once is good enough.
 */
@Component
class Reviews {

	private final JdbcClient client;

	Reviews(JdbcClient client) {
		this.client = client;
	}

	@JobHandler("ask-for-review")
	void ask(Order order) {
		this.client.sql("UPDATE shop_order SET review_asked = TRUE WHERE reference = ?")
			.param(order.reference())
			.update();
	}

}
