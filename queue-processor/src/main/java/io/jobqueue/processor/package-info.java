/**
 * The annotation processor: refuses at compile time what start-up would refuse, writes a
 * factory of jobs for each class with handlers, and lists the handlers for start-up.
 */
@NullMarked
package io.jobqueue.processor;

import org.jspecify.annotations.NullMarked;
