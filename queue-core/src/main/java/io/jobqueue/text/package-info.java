/**
 * Texts that people read. Internal.
 */
@NullMarked
package io.jobqueue.text;

import org.jspecify.annotations.NullMarked;
