package io.jobqueue.sample.payouts;

/**
 * A payout, and the payload of its job.
 *
 * @param number which one of those that were asked for together
 */
record Payout(int number) {

}
