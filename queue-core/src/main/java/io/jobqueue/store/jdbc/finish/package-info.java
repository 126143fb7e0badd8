/**
 * Ends claims and jobs. Internal.
 */
@NullMarked
package io.jobqueue.store.jdbc.finish;

import org.jspecify.annotations.NullMarked;
