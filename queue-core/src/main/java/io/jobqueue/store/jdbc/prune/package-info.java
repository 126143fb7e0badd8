/**
 * How old rows go. Internal.
 */
@NullMarked
package io.jobqueue.store.jdbc.prune;

import org.jspecify.annotations.NullMarked;
