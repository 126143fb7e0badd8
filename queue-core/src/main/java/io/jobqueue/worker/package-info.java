/**
 * What workers are told, and what they tell: handlers, settings, listeners, health.
 * Internal.
 */
@NullMarked
package io.jobqueue.worker;

import org.jspecify.annotations.NullMarked;
