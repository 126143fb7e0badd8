package io.jobqueue.benchmark.system;

/**
 * What a system that works well has few of.
 *
 * @param failed attempts that neither succeeded nor were stale
 * @param stale results that were discarded because their claim was no longer current
 * @param conflicts transactions that were repeated after a deadlock or lock-wait timeout
 */
public record Incidents(long failed, long stale, long conflicts) {

}
