/**
 * Payloads as JSON. Internal.
 */
@NullMarked
package io.jobqueue.spring.payload;

import org.jspecify.annotations.NullMarked;
