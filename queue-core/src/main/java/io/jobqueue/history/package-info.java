/**
 * Counts what happens on this node, and writes it to the history once a minute.
 */
@NullMarked
package io.jobqueue.history;

import org.jspecify.annotations.NullMarked;
