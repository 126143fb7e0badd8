package io.jobqueue.sample;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Says what to do with the shop once it is open.
 */
@Component
class WhatNext {

	private static final String TEXT = """

			The shop is open. What to do next:

			  Place an order        curl -H 'Content-Type: application/json' -d '{"customer":"Ada","email":"ada@example.com","amount":12.50}' {shop}/orders
			  Import 1,000 orders   curl -H 'Content-Type: text/csv' --data-binary @queue-sample-app/orders-1000.csv {shop}/orders/import
			  See it progress       curl {shop}/orders/import/1      (the import's answer names its own)
			  Receipts that came    curl {shop}/mailbox
			  The ledger            curl {shop}/ledger
			  Queues, workers, dead jobs and their errors
			                        curl {shop}/actuator/jobqueue
			  Health and meters     {shop}/actuator/health  {shop}/actuator/metrics

			  The sales report of each day is made at midnight in Berlin. See when, make one of today, and look at it:
			                        curl {shop}/actuator/jobqueue/schedules
			                        curl -X POST -H 'Content-Type: application/json' -d '{"schedule":"nightly-sales-report"}' {shop}/actuator/jobqueue/trigger
			                        curl {shop}/reports

			  Changes of an order are mailed one after another, in the order in which they were made:
			                        for i in 1 2 3; do curl -H 'Content-Type: application/json' -d "{\\"text\\":\\"change $i\\"}" {shop}/orders/1/changes; done
			                        curl {shop}/orders/1/changes

			  A partner makes payouts, five at once and fifty a second. See it keep up with that, and give it more:
			                        curl -H 'Content-Type: application/json' -d '{"count":300}' {shop}/payouts
			                        curl {shop}/payouts; curl {shop}/actuator/jobqueue/limits
			                        curl -H 'Content-Type: application/json' -d '{"limit":"payment-partner","starts":100}' {shop}/actuator/jobqueue/limit

			  Customers look at articles, which one call of a batch handler writes down for hundreds of jobs. The last of them
			  looks at one that does not exist: its job is dead, the others of its chunk are not.
			                        curl -H 'Content-Type: application/json' -d '{"count":5000}' {shop}/views
			                        curl {shop}/views

			  Every 50th card cannot be charged: its job is dead after three attempts. Repair the gateway and redrive them:
			                        curl -X POST {shop}/gateway/repair
			                        curl -X POST -H 'Content-Type: application/json' -d '{"queue":"default","type":"charge-card"}' {shop}/actuator/jobqueue/redrive
			""";

	@EventListener
	void print(ApplicationReadyEvent event) {
		String port = event.getApplicationContext().getEnvironment().getProperty("local.server.port", "8080");
		System.out.println(TEXT.replace("{shop}", "http://localhost:" + port));
	}

}
