/**
 * The statements by which operators look at jobs: lists that are read page by page,
 * counts, and causes of death. Each reads a bounded number of rows by an index.
 */
@NullMarked
package io.jobqueue.store.jdbc.inspect;

import org.jspecify.annotations.NullMarked;
