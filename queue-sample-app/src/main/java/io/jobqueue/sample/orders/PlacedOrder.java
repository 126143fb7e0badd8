package io.jobqueue.sample.orders;

import java.util.Map;

/**
 * An order as it is stored.
 *
 * @param id its id
 * @param order the order itself
 * @param jobs the ids of its jobs, by type
 * @param ledgerEntries how often it was posted to the ledger
 * @param reviewAsked whether its customer was asked for a review
 */
record PlacedOrder(long id, Order order, Map<String, Long> jobs, int ledgerEntries, boolean reviewAsked) {

}
