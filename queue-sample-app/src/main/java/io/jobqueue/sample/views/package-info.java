/**
 * What customers have looked at, written down by a batch handler.
 */
@NullMarked
package io.jobqueue.sample.views;

import org.jspecify.annotations.NullMarked;
