/**
 * The statements of order keys: which job of a key may run, and which come next.
 */
@NullMarked
package io.jobqueue.store.jdbc.order;

import org.jspecify.annotations.NullMarked;
