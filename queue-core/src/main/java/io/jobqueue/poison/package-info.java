/**
 * What is to become of jobs that may kill their workers, or the database: the rules,
 * which statements and workers follow. Internal.
 */
@NullMarked
package io.jobqueue.poison;

import org.jspecify.annotations.NullMarked;
