package io.jobqueue.sample.cards;

import io.jobqueue.Backoff;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.sample.orders.Order;

import org.springframework.stereotype.Component;

/**
 * Charges cards. What the gateway throws is logged and kept as the attempt's error; after
 * the third the job is dead, until somebody redrives it.
 */
@Component
class Cards {

	private final PaymentGateway gateway;

	Cards(PaymentGateway gateway) {
		this.gateway = gateway;
	}

	@JobHandler(value = "charge-card", maxAttempts = 3, backoff = @Backoff(delay = "200ms"))
	void charge(Order order, JobContext job) {
		this.gateway.charge(order.reference(), job.attempt());
	}

}
