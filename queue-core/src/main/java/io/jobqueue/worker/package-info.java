/**
 * The engine of one node: poll, claim, run, finish, with its session, slots and finishing
 * batch. Internal.
 */
@NullMarked
package io.jobqueue.worker;

import org.jspecify.annotations.NullMarked;
