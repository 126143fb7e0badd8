/**
 * Brings the queue's tables into the application's database, or checks them. Internal.
 */
@NullMarked
package io.jobqueue.spring.schema;

import org.jspecify.annotations.NullMarked;
