/**
 * Changes of orders, which the customer is told of in the order in which they were made.
 */
@NullMarked
package io.jobqueue.sample.changes;

import org.jspecify.annotations.NullMarked;
