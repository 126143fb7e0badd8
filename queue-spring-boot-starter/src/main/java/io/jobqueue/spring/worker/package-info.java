/**
 * Starts and stops the worker with the application. Internal.
 */
@NullMarked
package io.jobqueue.spring.worker;

import org.jspecify.annotations.NullMarked;
