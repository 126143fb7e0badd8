/**
 * Receipts by mail, and the SMTP server that the shop brings along to receive them.
 */
@NullMarked
package io.jobqueue.sample.receipts;

import org.jspecify.annotations.NullMarked;
