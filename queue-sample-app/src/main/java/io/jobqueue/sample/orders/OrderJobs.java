package io.jobqueue.sample.orders;

import java.util.List;

import io.jobqueue.NewJob;
import io.jobqueue.sample.ShopProperties;

import org.springframework.stereotype.Component;

/**
 * What is to be done for an order, once it is placed.
 */
@Component
class OrderJobs {

	/** The types of an order's jobs, in the order in which they are enqueued. */
	static final List<String> TYPES = List.of("send-receipt", "post-to-ledger", "charge-card", "ask-for-review");

	private final ShopProperties properties;

	OrderJobs(ShopProperties properties) {
		this.properties = properties;
	}

	List<NewJob> of(Order order) {
		// Mail has a queue of its own, which can be paused alone. The unique key is one
		// more guard against a second receipt: the order's reference is unique already.
		NewJob receipt = NewJob.of("send-receipt", order)
			.queue("mail")
			.priority(7)
			.uniqueKey("receipt-" + order.reference());
		NewJob posting = NewJob.of("post-to-ledger", order);
		NewJob charge = NewJob.of("charge-card", order);
		NewJob review = NewJob.of("ask-for-review", order).delay(this.properties.reviewDelay());
		return List.of(receipt, posting, charge, review);
	}

}
