/**
 * Whether a failed job runs again, and when. Internal.
 */
@NullMarked
package io.jobqueue.retry;

import org.jspecify.annotations.NullMarked;
