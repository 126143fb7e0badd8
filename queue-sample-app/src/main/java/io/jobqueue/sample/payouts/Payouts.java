package io.jobqueue.sample.payouts;

import java.util.stream.IntStream;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;

import org.springframework.stereotype.Component;

/**
 * Pays suppliers. The limit is in application.properties: it holds for all processes of
 * the shop together.
 */
@Component
class Payouts {

	private final JobQueue queue;

	private final PaymentPartner partner;

	Payouts(JobQueue queue, PaymentPartner partner) {
		this.queue = queue;
		this.partner = partner;
	}

	void request(int count) {
		this.queue.enqueueAll(
				IntStream.rangeClosed(1, count).mapToObj((number) -> PayoutsJobs.payOut(new Payout(number))).toList());
	}

	@JobHandler(value = "pay-out", limit = "payment-partner")
	void pay(Payout payout) throws InterruptedException {
		this.partner.pay(payout);
	}

}
