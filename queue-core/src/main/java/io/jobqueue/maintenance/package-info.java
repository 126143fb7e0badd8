/**
 * What keeps the tables in order: rescue, expire, prune. Each has one method that does
 * one round. Internal.
 */
@NullMarked
package io.jobqueue.maintenance;

import org.jspecify.annotations.NullMarked;
