/**
 * How ready jobs are found, admitted and claimed. Internal.
 */
@NullMarked
package io.jobqueue.store.jdbc.claim;

import org.jspecify.annotations.NullMarked;
