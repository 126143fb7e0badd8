/**
 * What the statements of several transitions share: columns, belongings, errors, ids.
 * Internal.
 */
@NullMarked
package io.jobqueue.store.jdbc.table;

import org.jspecify.annotations.NullMarked;
