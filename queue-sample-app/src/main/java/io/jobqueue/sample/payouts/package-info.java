/**
 * Payouts by a partner that takes so many calls at once, and so many in a second.
 */
@NullMarked
package io.jobqueue.sample.payouts;

import org.jspecify.annotations.NullMarked;
