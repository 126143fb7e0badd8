/**
 * A small shop that uses the job queue as an application would. Start reading at
 * {@code orders.OrderPlacement}, which stores orders and enqueues their jobs, and go on
 * with the handlers: {@code receipts.Receipts}, {@code ledger.Ledger},
 * {@code cards.Cards} and {@code reviews.Reviews}.
 */
@NullMarked
package io.jobqueue.sample;

import org.jspecify.annotations.NullMarked;
