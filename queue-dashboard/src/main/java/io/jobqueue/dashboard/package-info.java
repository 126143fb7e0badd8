/**
 * The dashboard: pages in the application itself that show what the queue does, and let
 * operators act. Closed until the application says who may look.
 */
@NullMarked
package io.jobqueue.dashboard;

import org.jspecify.annotations.NullMarked;
