package io.jobqueue.store;

import io.jobqueue.NewJob;

import org.jspecify.annotations.Nullable;

/**
 * A job about to be stored: what the application asked for and the payload as text.
 *
 * @param job what the application asked for, already checked
 * @param payload the payload as it will be stored, or null for none
 */
public record EnqueuedJob(NewJob job, @Nullable String payload) {

}
