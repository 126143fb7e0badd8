/**
 * What an application calls: {@link io.jobqueue.JobQueue} to enqueue, find, cancel and
 * redrive jobs, {@link io.jobqueue.JobHandler} to run them. This package and
 * {@code io.jobqueue.spring.autoconfigure} are the public API; every other package is
 * internal and may change in any release.
 */
@NullMarked
package io.jobqueue;

import org.jspecify.annotations.NullMarked;
