package io.jobqueue.store;

/**
 * A claim on a job. It is current as long as the job is running under this fence, and
 * held by this session. The fence alone would not do: fences start again where ids do,
 * after the table was truncated or the server was replaced by an older copy of it.
 *
 * @param id the job's id
 * @param fence the fence that the claim gave to the job
 * @param session the worker session that holds it
 */
public record Claim(long id, long fence, long session) {

}
