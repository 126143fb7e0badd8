/**
 * The ledger: exactly one entry for each order.
 */
@NullMarked
package io.jobqueue.sample.ledger;

import org.jspecify.annotations.NullMarked;
