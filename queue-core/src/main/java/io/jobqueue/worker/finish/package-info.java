/**
 * Commits results, many at once. Internal.
 */
@NullMarked
package io.jobqueue.worker.finish;

import org.jspecify.annotations.NullMarked;
