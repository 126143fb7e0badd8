/**
 * Sales reports: one for each day, made by a recurring job.
 */
@NullMarked
package io.jobqueue.sample.reports;

import org.jspecify.annotations.NullMarked;
