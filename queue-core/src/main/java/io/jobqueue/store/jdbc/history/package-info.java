/**
 * The history: what happened in each minute.
 */
@NullMarked
package io.jobqueue.store.jdbc.history;

import org.jspecify.annotations.NullMarked;
