/**
 * What a slot does with an attempt: run the handler in its unit, decide how the claim
 * ends. Internal.
 */
@NullMarked
package io.jobqueue.worker.run;

import org.jspecify.annotations.NullMarked;
