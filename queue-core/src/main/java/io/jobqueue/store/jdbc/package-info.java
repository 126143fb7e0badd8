/**
 * The queue's SQL, one class for each transition of a job's life; but for what belongs to
 * connections and dialects, nothing else in the project holds SQL. Internal.
 */
@NullMarked
package io.jobqueue.store.jdbc;

import org.jspecify.annotations.NullMarked;
