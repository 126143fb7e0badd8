/**
 * Threads that survive what their steps throw, and how they are woken. Internal.
 */
@NullMarked
package io.jobqueue.worker.thread;

import org.jspecify.annotations.NullMarked;
