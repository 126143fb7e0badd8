/**
 * Wakes the workers of other nodes. Internal.
 */
@NullMarked
package io.jobqueue.worker.doorbell;

import org.jspecify.annotations.NullMarked;
