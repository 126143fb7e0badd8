/**
 * Attempts, from the claim to the commit of their ends, and who holds them. Internal.
 */
@NullMarked
package io.jobqueue.worker.attempt;

import org.jspecify.annotations.NullMarked;
