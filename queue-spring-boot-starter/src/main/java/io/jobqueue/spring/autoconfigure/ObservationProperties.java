package io.jobqueue.spring.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * Whether traces are made.
 *
 * @param enabled whether enqueues, attempts and commits are observed; without a value if
 * the application has a tracer
 */
public record ObservationProperties(@Nullable Boolean enabled) {

}
