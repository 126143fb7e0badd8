/**
 * The statements of jobs whose rows stay locked while they run.
 */
@NullMarked
package io.jobqueue.store.jdbc.rowlock;

import org.jspecify.annotations.NullMarked;
