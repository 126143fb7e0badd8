package io.jobqueue.store;

/**
 * What there is to be swept of keys for which jobs wait.
 *
 * @param orderKeys whether there are order keys, or jobs that have a place in their order
 * @param orderJobs whether jobs wait for order keys
 * @param limitKeys whether limits have allowances, or jobs have places of limit keys
 * @param limitJobs whether jobs wait for limit keys
 */
public record KeysInUse(boolean orderKeys, boolean orderJobs, boolean limitKeys, boolean limitJobs) {

}
