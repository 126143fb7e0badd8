package io.jobqueue.store;

/**
 * The life of a job, one method per transition, for all who ask. Each of them is given
 * the part that it needs.
 */
public interface JobStore extends ApplicationStore, ClaimStore, MaintenanceStore {

}
