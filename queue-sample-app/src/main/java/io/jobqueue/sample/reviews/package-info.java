/**
 * Asking customers for a review, some time after their order.
 */
@NullMarked
package io.jobqueue.sample.reviews;

import org.jspecify.annotations.NullMarked;
