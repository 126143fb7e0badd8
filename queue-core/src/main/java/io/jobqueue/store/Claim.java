package io.jobqueue.store;

/**
 * A claim on a job. It is current as long as the job is running under this fence.
 *
 * @param id the job's id
 * @param fence the fence that the claim gave to the job
 */
public record Claim(long id, long fence) {

}
