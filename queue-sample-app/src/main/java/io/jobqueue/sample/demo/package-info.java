/**
 * A day of traffic, for whoever wants to see the dashboard at work.
 */
@NullMarked
package io.jobqueue.sample.demo;

import org.jspecify.annotations.NullMarked;
