/**
 * The statements of what operators do: the audit, and operations on many jobs.
 */
@NullMarked
package io.jobqueue.store.jdbc.operation;

import org.jspecify.annotations.NullMarked;
