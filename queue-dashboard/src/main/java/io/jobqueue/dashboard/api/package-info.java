/**
 * What the page asks for, as JSON. The same is there for other programs; see
 * {@code docs/dashboard-api.yaml}.
 */
@NullMarked
package io.jobqueue.dashboard.api;

import org.jspecify.annotations.NullMarked;
