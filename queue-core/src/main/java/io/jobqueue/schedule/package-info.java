/**
 * When schedules tick: rules without a database. Internal: not part of the public API.
 */
@NullMarked
package io.jobqueue.schedule;

import org.jspecify.annotations.NullMarked;
