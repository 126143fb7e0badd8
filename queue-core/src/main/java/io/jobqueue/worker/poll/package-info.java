/**
 * Finds out what is ready, plans what to claim, claims it. Internal.
 */
@NullMarked
package io.jobqueue.worker.poll;

import org.jspecify.annotations.NullMarked;
