/**
 * How the dashboard is served: its routes, who may use them, and its page.
 */
@NullMarked
package io.jobqueue.dashboard.web;

import org.jspecify.annotations.NullMarked;
