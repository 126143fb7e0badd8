/**
 * The queue's tables as plain rows in and out: one method per transition of a job's life.
 * Internal.
 */
@NullMarked
package io.jobqueue.store;

import org.jspecify.annotations.NullMarked;
