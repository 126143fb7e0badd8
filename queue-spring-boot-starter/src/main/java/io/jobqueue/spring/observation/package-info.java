/**
 * Observations of enqueues, attempts and commits, by Micrometer. Applications meet the
 * contexts in their own {@code ObservationHandler}s, filters and conventions.
 */
@NullMarked
package io.jobqueue.spring.observation;

import org.jspecify.annotations.NullMarked;
