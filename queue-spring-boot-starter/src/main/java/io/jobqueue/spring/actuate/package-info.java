/**
 * What operators see and do: health, meters and the endpoint. Internal.
 */
@NullMarked
package io.jobqueue.spring.actuate;

import org.jspecify.annotations.NullMarked;
