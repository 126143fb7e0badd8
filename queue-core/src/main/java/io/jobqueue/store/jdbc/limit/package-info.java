/**
 * Limits in SQL: their rules, what is left of them, and the jobs that wait for places.
 */
@NullMarked
package io.jobqueue.store.jdbc.limit;

import org.jspecify.annotations.NullMarked;
