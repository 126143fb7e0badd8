/**
 * Finds methods that are marked as job handlers and turns them into handlers. Internal.
 */
@NullMarked
package io.jobqueue.spring.handler;

import org.jspecify.annotations.NullMarked;
