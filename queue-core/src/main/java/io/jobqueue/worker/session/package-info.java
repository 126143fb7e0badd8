/**
 * The worker's session, which tells others that it is alive. Internal.
 */
@NullMarked
package io.jobqueue.worker.session;

import org.jspecify.annotations.NullMarked;
