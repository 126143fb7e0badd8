/**
 * How jobs come into the tables. Internal.
 */
@NullMarked
package io.jobqueue.store.jdbc.enqueue;

import org.jspecify.annotations.NullMarked;
