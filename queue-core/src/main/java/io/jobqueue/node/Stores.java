package io.jobqueue.node;

import io.jobqueue.store.JobStore;
import io.jobqueue.store.Queues;
import io.jobqueue.store.WorkerSessions;

/**
 * Where jobs, worker sessions and queues are.
 *
 * @param jobs the jobs
 * @param sessions the worker sessions
 * @param queues the queues
 */
public record Stores(JobStore jobs, WorkerSessions sessions, Queues queues) {

}
