package io.jobqueue.worker.poll;

import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.LimitPauses;
import io.jobqueue.store.Queues;
import io.jobqueue.store.RowLocks;

/**
 * What the poll loop asks the database for.
 *
 * @param claims the claims
 * @param rowLocks the jobs of row-lock queues while they run
 * @param queues the queues
 * @param limits what is known of limits between claims
 */
public record Tables(ClaimStore claims, RowLocks rowLocks, Queues queues, LimitPauses limits) {

}
