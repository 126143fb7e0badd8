/**
 * Schedules in SQL: saved, declared, fired. Internal.
 */
@NullMarked
package io.jobqueue.store.jdbc.schedule;

import org.jspecify.annotations.NullMarked;
